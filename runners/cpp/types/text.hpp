// Values that JSON holds in strings, to and from their text. The standard library
// has none of these, so a program brings its own; all codecs use these here.
#pragma once

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "types/basics.hpp"

namespace types {

[[noreturn]] void fail(const char* what);

std::string parse_bytes(std::string_view text, Spelling);
std::string format_bytes(std::string_view data, Spelling);

Timestamp parse_timestamp(std::string_view);
std::string format_timestamp(Timestamp);
Duration parse_duration(std::string_view);
std::string format_duration(Duration);

// ProtoJSON's words for what JSON has no number for.
double parse_not_finite(std::string_view);
std::string_view format_not_finite(double);

bool is_number(std::string_view);  // in JSON's grammar

// narrow gives the same integer in another type, or fails.
template <class T, class From> T narrow(From v) {
  const T out = static_cast<T>(v);
  if (static_cast<From>(out) != v || (out < T{}) != (v < From{})) fail("an integer is out of its field's range");
  return out;
}

// rounded gives a double in the field's type, or fails.
template <class T> T rounded(double v) {
  const T out = static_cast<T>(v);
  if (!std::isfinite(out)) fail("a number is out of its field's range");
  return out;
}

double parse_double(std::string_view);
std::string format_double(double);
std::string format_float(float);

// parse_number reads a number that stands in a string or a key.
template <class T> T parse_number(std::string_view text) {
  if constexpr (std::is_floating_point_v<T>) {
    if (is_number(text)) return rounded<T>(parse_double(text));
    return static_cast<T>(parse_not_finite(text));
  } else {
    T v{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), v);
    if (error != std::errc() || end != text.data() + text.size()) fail("a string should hold an integer");
    return v;
  }
}

template <class T> std::string format_number(T v) {
  if constexpr (std::is_floating_point_v<T>) {
    if (!std::isfinite(v)) return std::string(format_not_finite(v));
    return std::is_same_v<T, float> ? format_float(v) : format_double(v);
  } else {
    return std::to_string(v);
  }
}

// parse_key and format_key are for a map's keys, which are strings in JSON.
template <class K> K parse_key(std::string_view text) {
  if constexpr (std::is_same_v<K, std::string>) {
    return std::string(text);
  } else if constexpr (std::is_same_v<K, bool>) {
    if (text != "true" && text != "false") fail("a map's key should be true or false");
    return text == "true";
  } else {
    return parse_number<K>(text);
  }
}

template <class K> std::string format_key(K key) {
  if constexpr (std::is_same_v<K, bool>) {
    return key ? "true" : "false";
  } else {
    return std::to_string(key);
  }
}

}  // namespace types
