#include "types/basics.hpp"

#include "types/sums.hpp"

namespace types {

Keys::Keys(std::initializer_list<std::string_view> keys) {
  std::size_t size = 4;
  while (size < 2 * keys.size()) size *= 2;
  slots_.resize(size);
  mask_ = size - 1;
  int index = 0;
  for (const std::string_view key : keys) {
    std::size_t i = hash(key);
    while (slots_[i & mask_].index >= 0) i++;
    slots_[i & mask_] = {key, index++};
  }
}

namespace {

struct Adder {
  std::uint32_t operator()(std::nullptr_t) const { return 1; }
  std::uint32_t operator()(bool v) const { return sum(v); }
  std::uint32_t operator()(double v) const { return sum(v); }
  std::uint32_t operator()(const std::string& v) const { return sum(v); }
  std::uint32_t operator()(const std::vector<Value>& v) const {
    std::uint32_t all = 1;
    for (const Value& e : v) all += sum(e);
    return all;
  }
  std::uint32_t operator()(const std::map<std::string, Value>& v) const {
    std::uint32_t all = 1;
    for (const auto& [key, e] : v) all += static_cast<std::uint32_t>(key.size()) + 1 + sum(e);
    return all;
  }
};

}  // namespace

std::uint32_t sum(const Value& v) { return std::visit(Adder{}, v.any); }

}  // namespace types
