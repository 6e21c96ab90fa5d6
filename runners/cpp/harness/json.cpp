#include "harness/json.hpp"

#include <algorithm>
#include <charconv>
#include <stdexcept>

namespace harness {

namespace {

constexpr int max_depth = 64;

[[noreturn]] void fail(const char* what) { throw std::runtime_error(std::string("the request is not JSON: ") + what); }

class Parser {
 public:
  explicit Parser(std::string_view text) : rest_(text) {}

  Json whole() {
    Json v = value(0);
    if (space(); !rest_.empty()) fail("something follows it");
    return v;
  }

 private:
  std::string_view rest_;

  char peek() const { return rest_.empty() ? '\0' : rest_.front(); }
  char take() {
    if (rest_.empty()) fail("it is cut short");
    const char c = rest_.front();
    rest_.remove_prefix(1);
    return c;
  }
  void space() { rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\r\n"), rest_.size())); }
  bool skip(char c) {
    space();
    if (peek() != c) return false;
    take();
    return true;
  }

  Json value(int depth) {
    if (depth == max_depth) fail("it is nested too deeply");
    Json v;
    if (skip('{')) {
      v.kind = Json::Kind::object;
      for (bool first = true; !skip('}'); first = false) {
        if (!first && !skip(',')) fail("a comma is missing");
        if (!skip('"')) fail("a key is missing");
        v.keys.push_back(string());
        if (!skip(':')) fail("a colon is missing");
        v.items.push_back(value(depth + 1));
      }
    } else if (skip('[')) {
      v.kind = Json::Kind::array;
      for (bool first = true; !skip(']'); first = false) {
        if (!first && !skip(',')) fail("a comma is missing");
        v.items.push_back(value(depth + 1));
      }
    } else if (skip('"')) {
      v.kind = Json::Kind::string;
      v.text = string();
    } else {
      word(v);
    }
    return v;
  }

  void word(Json& v) {
    v.text = rest_.substr(0, rest_.find_first_not_of("+-.0123456789abcdefghijklmnopqrstuvwxyzE"));
    rest_.remove_prefix(v.text.size());
    if (v.text == "null") {
      v.kind = Json::Kind::null;
    } else if (v.text == "true" || v.text == "false") {
      v.kind = Json::Kind::boolean;
    } else if (!v.text.empty() && (v.text[0] == '-' || (v.text[0] >= '0' && v.text[0] <= '9'))) {
      v.kind = Json::Kind::number;
    } else {
      fail("a value is missing");
    }
  }

  // string reads what follows an opening quote.
  std::string string() {
    std::string out;
    for (;;) {
      const std::size_t plain = std::min(rest_.find_first_of("\"\\"), rest_.size());
      out += rest_.substr(0, plain);
      rest_.remove_prefix(plain);
      if (take() == '"') return out;
      escape(out);
    }
  }

  void escape(std::string& out) {
    const char c = take();
    constexpr std::string_view names = "\"\\/bfnrt", values = "\"\\/\b\f\n\r\t";
    if (const auto i = names.find(c); i != names.npos) {
      out += values[i];
    } else if (c == 'u') {
      std::uint32_t u = unit();
      if (u >= 0xD800 && u < 0xDC00) {
        if (take() != '\\' || take() != 'u') fail("half of a surrogate pair is missing");
        u = 0x10000 + ((u - 0xD800) << 10) + (unit() - 0xDC00);
      }
      append(out, u);
    } else {
      fail("a wrong escape");
    }
  }

  std::uint32_t unit() {
    std::uint32_t u = 0;
    const auto digits = rest_.substr(0, 4);
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), u, 16);
    if (error != std::errc() || end != digits.data() + 4) fail("a wrong escape");
    rest_.remove_prefix(4);
    return u;
  }

  static void append(std::string& out, std::uint32_t u) {
    const auto tail = [&](int shift) { out += static_cast<char>(0x80 | (u >> shift & 0x3F)); };
    if (u < 0x80) {
      out += static_cast<char>(u);
    } else if (u < 0x800) {
      out += static_cast<char>(0xC0 | u >> 6), tail(0);
    } else if (u < 0x10000) {
      out += static_cast<char>(0xE0 | u >> 12), tail(6), tail(0);
    } else {
      out += static_cast<char>(0xF0 | u >> 18), tail(12), tail(6), tail(0);
    }
  }
};

}  // namespace

Json Json::parse(std::string_view text) { return Parser(text).whole(); }

const Json& Json::at(std::string_view key) const {
  static const Json none;
  for (std::size_t i = 0; i < keys.size(); i++) {
    if (keys[i] == key) return items[i];
  }
  return none;
}

std::int64_t Json::integer() const {
  std::int64_t v = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), v);
  if (kind != Kind::number || error != std::errc() || end != text.data() + text.size()) {
    throw std::runtime_error("an integer is missing from the request");
  }
  return v;
}

void Text::separate() {
  if (!out.empty() && out.back() != '{' && out.back() != '[' && out.back() != ':') out += ',';
}

void Text::string(std::string_view s) {
  separate();
  out += '"';
  for (const char c : s) {
    if (c == '"' || c == '\\') {
      out += '\\', out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      constexpr char digits[] = "0123456789abcdef";
      out += "\\u00", out += digits[c >> 4], out += digits[c & 15];
    } else {
      out += c;
    }
  }
  out += '"';
}

}  // namespace harness
