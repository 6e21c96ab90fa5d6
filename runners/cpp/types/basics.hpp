// What the generated structs are made of, besides the standard library's types.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace types {

// Quoted is a number that JSON holds in a string.
template <class T> struct Quoted {
  T value{};
};

// Numbered is an enum's value that JSON holds as its number.
template <class E> struct Numbered {
  E value{};
};

// Number is a JSON number kept as its text.
struct Number {
  std::string text;
};

// Bytes are spelt in one of three ways in JSON.
enum class Spelling { base64, hex, uuid };
template <Spelling S> struct Bytes {
  std::string data;
};

struct Null {};

struct Timestamp {
  std::int64_t seconds = 0;  // since 1970
  std::int32_t nanos = 0;
};

struct Duration {
  std::int64_t seconds = 0;
  std::int32_t nanos = 0;  // of the same sign
};

// Value is any JSON value.
struct Value {
  std::variant<std::nullptr_t, bool, double, std::string, std::vector<Value>, std::map<std::string, Value>> any;
};

// Kind is what a JSON value starts with.
enum class Kind { null, boolean, number, string, array, object };

// Keys finds the index of an object's key, or of an enum's name, in a hash table
// made once. All codecs find members by it, so that none is slow or fast by
// how a key is looked for.
class Keys {
 public:
  Keys(std::initializer_list<std::string_view> keys);

  // find gives -1 where the key is none of these.
  int find(std::string_view key) const {
    for (std::size_t i = hash(key);; i++) {
      const Slot& slot = slots_[i & mask_];
      if (slot.index < 0 || slot.key == key) return slot.index;
    }
  }

 private:
  struct Slot {
    std::string_view key;
    int index = -1;
  };
  std::vector<Slot> slots_;
  std::size_t mask_;

  static std::size_t hash(std::string_view key) {
    std::uint64_t h = key.size();
    while (key.size() > 8) {
      h = mix(h ^ word(key.data(), 8));
      key.remove_prefix(8);
    }
    return mix(h ^ word(key.data(), key.size()));
  }
  static std::uint64_t mix(std::uint64_t h) {
    h *= 0x9E3779B97F4A7C15;
    return h ^ h >> 32;
  }
  // word packs up to eight bytes; parts of it may overlap.
  static std::uint64_t word(const char* p, std::size_t n) {
    if (n >= 4) return part(p) | std::uint64_t{part(p + n - 4)} << 32;
    if (n == 0) return 0;
    const auto byte = [p](std::size_t i) { return std::uint64_t{static_cast<unsigned char>(p[i])}; };
    return byte(0) | byte(n / 2) << 8 | byte(n - 1) << 16;
  }
  static std::uint32_t part(const char* p) {
    std::uint32_t v;
    std::memcpy(&v, p, sizeof v);
    return v;
  }
};

// is_set tells whether a member is there: one with presence has a value, one
// without is not the default, a list or map is not empty.
template <class T, class = std::enable_if_t<std::is_arithmetic_v<T> || std::is_enum_v<T>>> bool is_set(T v) { return v != T{}; }
inline bool is_set(const std::string& v) { return !v.empty(); }
inline bool is_set(const Number& v) { return !v.text.empty(); }
inline bool is_set(const Null&) { return false; }
template <Spelling S> bool is_set(const Bytes<S>& v) { return !v.data.empty(); }
template <class T> bool is_set(const Quoted<T>& v) { return v.value != T{}; }
template <class E> bool is_set(const Numbered<E>& v) { return v.value != E{}; }
template <class T> bool is_set(const std::optional<T>& v) { return v.has_value(); }
template <class T> bool is_set(const std::unique_ptr<T>& v) { return v != nullptr; }
template <class T> bool is_set(const std::vector<T>& v) { return !v.empty(); }
template <class K, class T> bool is_set(const std::map<K, T>& v) { return !v.empty(); }

}  // namespace types
