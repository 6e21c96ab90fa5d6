#include "harness/codec.hpp"

#include <map>
#include <utility>

namespace harness {

static std::map<std::string, Codec, std::less<>>& codecs() {
  static std::map<std::string, Codec, std::less<>> all;  // made by the first that enrolls
  return all;
}

bool enroll(Codec c) {
  std::string name = c.name;
  return codecs().emplace(std::move(name), std::move(c)).second;
}

const Codec* lookup(std::string_view name) {
  const auto found = codecs().find(name);
  return found == codecs().end() ? nullptr : &found->second;
}

std::string dated(std::string version, std::string_view known, std::string_view month) {
  if (version == known) version.append(" (released ").append(month).append(")");
  return version;
}

}  // namespace harness
