// JSON for the control traffic: libraries under test are not used for that.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace harness {

// Json is a value of a request.
class Json {
 public:
  enum class Kind { null, boolean, number, string, array, object };

  // parse throws where the text is no JSON, or nested deeper than any request.
  static Json parse(std::string_view text);

  Kind kind = Kind::null;
  std::string text;             // a string's content; else the value's own text
  std::vector<std::string> keys;  // an object's, in the order of items
  std::vector<Json> items;      // an array's elements, or an object's values

  // at is an object's member; null where there is none.
  const Json& at(std::string_view key) const;
  std::int64_t integer() const;  // throws where this is no integer
  bool is_true() const { return kind == Kind::boolean && text == "true"; }
};

// Text writes JSON piece by piece and puts the commas.
class Text {
 public:
  std::string out;

  void open(char bracket) { separate(), out += bracket; }
  void close(char bracket) { out += bracket; }
  void key(std::string_view k) { string(k), out += ':'; }
  void string(std::string_view s);
  void number(std::int64_t v) { raw(std::to_string(v)); }
  void number(std::uint64_t v) { raw(std::to_string(v)); }
  void raw(std::string_view token) { separate(), out += token; }

  template <class T> void numbers(std::string_view k, const std::vector<T>& values) {
    key(k), open('[');
    for (const T v : values) number(static_cast<std::int64_t>(v));
    close(']');
  }

 private:
  void separate();
};

}  // namespace harness
