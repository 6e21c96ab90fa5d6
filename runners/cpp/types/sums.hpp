// What values add to a checksum, as the protocol has it (docs/protocol.md).
#pragma once

#include "types/basics.hpp"

namespace types {

// sum is what a value that is there adds.
inline std::uint32_t sum(bool v) { return v ? 2 : 1; }
inline std::uint32_t sum(const std::string& v) { return static_cast<std::uint32_t>(v.size()) + 1; }
inline std::uint32_t sum(const Number& v) { return sum(v.text); }
inline std::uint32_t sum(const Null&) { return 1; }
inline std::uint32_t sum(const Timestamp&) { return 1; }
inline std::uint32_t sum(const Duration&) { return 1; }
std::uint32_t sum(const Value&);
template <Spelling S> std::uint32_t sum(const Bytes<S>&) { return 1; }
template <class E> std::uint32_t sum(const Numbered<E>&) { return 1; }

template <class T> std::uint32_t sum(const T& v) {
  if constexpr (std::is_enum_v<T>) {
    return 1;
  } else if constexpr (std::is_floating_point_v<T>) {
    const double d = v;
    return d > -0x1p31 && d < 0x1p31 ? static_cast<std::uint32_t>(static_cast<std::int64_t>(d)) + 1 : 1;
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<std::uint32_t>(v) + 1;
  } else {
    return v.sum();  // a message
  }
}

template <class T> std::uint32_t sum(const Quoted<T>& v) { return sum(v.value); }
template <class T> std::uint32_t sum(const std::unique_ptr<T>& v) { return sum(*v); }

// add is what a member adds, 0 where it is not set.
template <class T> std::uint32_t add(const T& v) { return is_set(v) ? sum(v) : 0; }
template <class T> std::uint32_t add(const std::optional<T>& v) { return v ? sum(*v) : 0; }

template <class T> std::uint32_t add(const std::vector<T>& v) {
  std::uint32_t all = !v.empty();
  if constexpr (std::is_same_v<T, bool>) {
    for (const bool e : v) all += sum(e);
  } else {
    for (const T& e : v) all += sum(e);
  }
  return all;
}

template <class K, class T> std::uint32_t add(const std::map<K, T>& v) {
  std::uint32_t all = !v.empty();
  for (const auto& [key, e] : v) {
    if constexpr (std::is_same_v<K, std::string>) all += static_cast<std::uint32_t>(key.size());
    all += 1 + sum(e);
  }
  return all;
}

// leaf is what the member at the end of a root's leaf adds.
template <class T> std::uint32_t leaf(const T& v) { return is_set(v) ? sum(v) : 1; }
template <class T> std::uint32_t leaf(const std::optional<T>& v) { return v ? sum(*v) : 1; }
template <class T> std::uint32_t leaf(const std::vector<T>& v) { return v.empty() ? 1 : static_cast<std::uint32_t>(v.size()); }
template <class K, class T> std::uint32_t leaf(const std::map<K, T>& v) { return v.empty() ? 1 : static_cast<std::uint32_t>(v.size()); }

}  // namespace types
