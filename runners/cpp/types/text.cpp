#include "types/text.hpp"

#include <array>
#include <cstdio>
#include <stdexcept>

namespace types {

void fail(const char* what) { throw std::runtime_error(what); }

// --- bytes

static constexpr char base64_digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

// base64_values also knows the URL's letters, as ProtoJSON does; 255: no digit.
static constexpr std::array<std::uint8_t, 256> base64_values = [] {
  std::array<std::uint8_t, 256> values{};
  for (auto& v : values) v = 255;
  for (int i = 0; i < 64; i++) values[static_cast<unsigned char>(base64_digits[i])] = static_cast<std::uint8_t>(i);
  values['-'] = 62, values['_'] = 63;
  return values;
}();

static std::string parse_base64(std::string_view text) {
  while (!text.empty() && text.back() == '=') text.remove_suffix(1);
  if (text.size() % 4 == 1) fail("a string should hold base64");
  std::string out(text.size() / 4 * 3 + (text.size() % 4 * 3) / 4, '\0');
  std::size_t to = 0;
  std::uint32_t group = 0;
  int bits = 0;
  for (const char c : text) {
    const std::uint8_t v = base64_values[static_cast<unsigned char>(c)];
    if (v == 255) fail("a string should hold base64");
    group = group << 6 | v;
    if (bits += 6; bits >= 8) out[to++] = static_cast<char>(group >> (bits -= 8));
  }
  return out;
}

static std::string format_base64(std::string_view data) {
  std::string out((data.size() + 2) / 3 * 4, '=');
  std::size_t to = 0, at = 0;
  const auto byte = [&](std::size_t i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(data[i])); };
  for (; at + 3 <= data.size(); at += 3) {
    const std::uint32_t group = byte(at) << 16 | byte(at + 1) << 8 | byte(at + 2);
    for (int shift = 18; shift >= 0; shift -= 6) out[to++] = base64_digits[group >> shift & 63];
  }
  if (const std::size_t left = data.size() - at; left > 0) {
    const std::uint32_t group = byte(at) << 16 | (left == 2 ? byte(at + 1) << 8 : 0);
    out[to++] = base64_digits[group >> 18];
    out[to++] = base64_digits[group >> 12 & 63];
    if (left == 2) out[to++] = base64_digits[group >> 6 & 63];
  }
  return out;
}

static int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  fail("a string should hold hexadecimal digits");
}

static bool dash_before(std::size_t byte) { return byte == 4 || byte == 6 || byte == 8 || byte == 10; }

static std::string parse_hex(std::string_view text, bool uuid) {
  if (uuid ? text.size() != 36 : text.size() % 2 != 0) fail(uuid ? "a string should hold a UUID" : "a string should hold hexadecimal digits");
  std::string out;
  out.reserve(text.size() / 2);
  for (std::size_t at = 0; at < text.size(); at += 2) {
    if (uuid && dash_before(out.size()) && text[at++] != '-') fail("a string should hold a UUID");
    out += static_cast<char>(hex_value(text[at]) << 4 | hex_value(text[at + 1]));
  }
  return out;
}

static std::string format_hex(std::string_view data, bool uuid) {
  if (uuid && data.size() != 16) fail("a UUID should have 16 bytes");
  constexpr char digits[] = "0123456789abcdef";
  std::string out;
  out.reserve(2 * data.size() + 4);
  for (std::size_t i = 0; i < data.size(); i++) {
    if (uuid && dash_before(i)) out += '-';
    const auto c = static_cast<unsigned char>(data[i]);
    out += digits[c >> 4], out += digits[c & 15];
  }
  return out;
}

std::string parse_bytes(std::string_view text, Spelling s) {
  return s == Spelling::base64 ? parse_base64(text) : parse_hex(text, s == Spelling::uuid);
}

std::string format_bytes(std::string_view data, Spelling s) {
  return s == Spelling::base64 ? format_base64(data) : format_hex(data, s == Spelling::uuid);
}

// --- numbers

double parse_not_finite(std::string_view text) {
  if (text == "NaN") return std::numeric_limits<double>::quiet_NaN();
  if (text == "Infinity") return std::numeric_limits<double>::infinity();
  if (text == "-Infinity") return -std::numeric_limits<double>::infinity();
  fail("a string should hold a number");
}

std::string_view format_not_finite(double v) {
  if (std::isnan(v)) return "NaN";
  return v > 0 ? "Infinity" : "-Infinity";
}

bool is_number(std::string_view text) {
  std::size_t at = 0;
  const auto one_of = [&](std::string_view chars) { return at < text.size() && chars.find(text[at]) != chars.npos ? ++at : 0; };
  const auto digits = [&] {
    const std::size_t start = at;
    while (one_of("0123456789")) {
    }
    return at > start;
  };
  one_of("-");
  if (!one_of("0") && !digits()) return false;
  if (one_of(".") && !digits()) return false;
  if (one_of("eE") && (one_of("+-"), !digits())) return false;
  return at == text.size();
}

double parse_double(std::string_view text) {
#ifdef __cpp_lib_to_chars
  double v = 0;
  if (std::from_chars(text.data(), text.data() + text.size(), v).ec == std::errc()) return v;
#endif
  return std::strtod(std::string(text).c_str(), nullptr);  // also where the value is too small or too large
}

#ifdef __cpp_lib_to_chars

template <class T> static std::string shortest(T v) {
  char text[64];
  return std::string(text, std::to_chars(text, text + sizeof text, v).ptr);
}
std::string format_double(double v) { return shortest(v); }
std::string format_float(float v) { return shortest(v); }

#else

static std::string printed(double v, int digits) {
  char text[64];
  return std::string(text, std::snprintf(text, sizeof text, "%.*g", digits, v));
}
std::string format_double(double v) { return printed(v, 17); }
std::string format_float(float v) { return printed(v, 9); }

#endif

// --- times

namespace {

// Reader takes the parts of a time's text.
class Reader {
 public:
  Reader(std::string_view text, const char* wanted) : rest_(text), wanted_(wanted) {}

  bool skip(char c) {
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void expect(bool ok) const {
    if (!ok) fail(wanted_);
  }
  // digits reads a number of at least and at most so many digits.
  std::int64_t digits(std::size_t least, std::size_t most) {
    std::int64_t v = 0;
    std::size_t n = 0;
    for (; n < most && n < rest_.size() && rest_[n] >= '0' && rest_[n] <= '9'; n++) v = v * 10 + (rest_[n] - '0');
    expect(n >= least);
    rest_.remove_prefix(n);
    return v;
  }
  // fraction reads up to nine digits behind a dot as nanoseconds.
  std::int32_t fraction() {
    const std::size_t before = rest_.size();
    std::int64_t v = digits(1, 9);
    for (std::size_t n = before - rest_.size(); n < 9; n++) v *= 10;
    return static_cast<std::int32_t>(v);
  }
  bool ended() const { return rest_.empty(); }

 private:
  std::string_view rest_;
  const char* wanted_;
};

// days counts from 1970-01-01 in the Gregorian calendar. Years begin in March
// here, so that the leap day is a year's last.
std::int64_t days(std::int64_t year, std::int64_t month, std::int64_t day) {
  year -= month <= 2;
  const std::int64_t era = (year >= 0 ? year : year - 399) / 400;
  const std::int64_t of_era = year - era * 400;
  const std::int64_t of_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
  return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

struct Date {
  std::int64_t year, month, day;
};

Date date(std::int64_t days) {
  days += 719468;
  const std::int64_t era = (days >= 0 ? days : days - 146096) / 146097;
  const std::int64_t of_era = days - era * 146097;
  const std::int64_t year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
  const std::int64_t of_year = of_era - (365 * year + year / 4 - year / 100);
  const std::int64_t month = (5 * of_year + 2) / 153;
  const std::int64_t m = month < 10 ? month + 3 : month - 9;
  return {year + era * 400 + (m <= 2), m, of_year - (153 * month + 2) / 5 + 1};
}

// append_fraction writes 0, 3, 6 or 9 digits, as ProtoJSON does.
char* append_fraction(char* to, std::int32_t nanos) {
  if (nanos == 0) return to;
  *to++ = '.';
  const int digits = nanos % 1000000 == 0 ? 3 : nanos % 1000 == 0 ? 6 : 9;
  for (std::int32_t i = 0, unit = 100000000; i < digits; i++, unit /= 10) *to++ = static_cast<char>('0' + nanos / unit % 10);
  return to;
}

char* append_digits(char* to, std::int64_t v, int digits) {
  for (int i = digits - 1; i >= 0; i--, v /= 10) to[i] = static_cast<char>('0' + v % 10);
  return to + digits;
}

}  // namespace

Timestamp parse_timestamp(std::string_view text) {
  Reader r(text, "a string should hold an RFC 3339 time");
  const auto next = [&](char before, std::int64_t least, std::int64_t most) {
    r.expect(r.skip(before));
    const std::int64_t v = r.digits(2, 2);
    r.expect(v >= least && v <= most);
    return v;
  };
  const std::int64_t year = r.digits(4, 4), month = next('-', 1, 12), day = next('-', 1, 31);
  const std::int64_t hour = next('T', 0, 23), minute = next(':', 0, 59), second = next(':', 0, 59);
  Timestamp t;
  t.nanos = r.skip('.') ? r.fraction() : 0;
  t.seconds = ((days(year, month, day) * 24 + hour) * 60 + minute) * 60 + second;
  if (!r.skip('Z')) {
    const bool east = r.skip('+');
    r.expect(east || r.skip('-'));
    const std::int64_t hours = r.digits(2, 2);
    const std::int64_t offset = (hours * 60 + next(':', 0, 59)) * 60;
    t.seconds += east ? -offset : offset;
  }
  r.expect(r.ended());
  return t;
}

std::string format_timestamp(Timestamp t) {
  const std::int64_t day = (t.seconds >= 0 ? t.seconds : t.seconds - 86399) / 86400, second = t.seconds - day * 86400;
  const Date d = date(day);
  char text[40], *to = text;
  to = append_digits(to, d.year, 4), *to++ = '-';
  to = append_digits(to, d.month, 2), *to++ = '-';
  to = append_digits(to, d.day, 2), *to++ = 'T';
  to = append_digits(to, second / 3600, 2), *to++ = ':';
  to = append_digits(to, second / 60 % 60, 2), *to++ = ':';
  to = append_fraction(append_digits(to, second % 60, 2), t.nanos), *to++ = 'Z';
  return std::string(text, to);
}

Duration parse_duration(std::string_view text) {
  Reader r(text, "a string should hold a duration, as \"1.5s\"");
  const bool negative = r.skip('-');
  Duration d;
  d.seconds = r.digits(1, 12);
  d.nanos = r.skip('.') ? r.fraction() : 0;
  r.expect(r.skip('s') && r.ended());
  if (negative) d.seconds = -d.seconds, d.nanos = -d.nanos;
  return d;
}

std::string format_duration(Duration d) {
  const bool negative = d.seconds < 0 || d.nanos < 0;
  std::string out = negative ? "-" : "";
  out += std::to_string(negative ? -d.seconds : d.seconds);
  char fraction[16];
  out.append(fraction, append_fraction(fraction, negative ? -d.nanos : d.nanos));
  return out += 's';
}

}  // namespace types
