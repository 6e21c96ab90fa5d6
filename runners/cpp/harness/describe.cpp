#include <sys/utsname.h>

#include <stdexcept>

#include "harness/loop.hpp"
#include "harness/server.hpp"

namespace harness {

// compiler names what this program was compiled by, and how.
static std::string compiler() {
#ifdef __clang__
  std::string s = "clang " + std::to_string(__clang_major__) + "." + std::to_string(__clang_minor__);
#else
  std::string s = "g++ " + std::to_string(__GNUC__) + "." + std::to_string(__GNUC_MINOR__) + "." + std::to_string(__GNUC_PATCHLEVEL__);
#endif
  return s + " " RUNNER_FLAGS;
}

static std::string system() {
  utsname u;
  if (uname(&u) != 0) return "unknown";
  return std::string(u.sysname) + "/" + u.machine;
}

static void texts(Text& reply, std::string_view key, const std::vector<std::string>& values) {
  reply.key(key), reply.open('[');
  for (const std::string& v : values) reply.string(v);
  reply.close(']');
}

void Server::describe(Text& reply) {
  const auto member = [&](std::string_view key, std::string_view value) { reply.key(key), reply.string(value); };
  member("protocol", "wirecost.protocol/1");
  member("runtime", built.runtime);
  member("version", compiler() + " " + system());
  reply.key("clock_step_ns"), reply.number(clock_step());
  member("string_unit", "utf8");
  reply.key("codecs"), reply.open('[');
  for (const Description& d : built.codecs) {
    const Codec* codec = lookup(d.name);
    if (codec == nullptr) throw std::runtime_error("the codec " + d.name + " is not in this program");
    reply.open('{');
    member("name", d.name);
    member("format", d.format);
    member("documents", d.documents);
    texts(reply, "operations", d.operations);
    texts(reply, "traits", d.traits);
    member("library", d.library);
    member("version", codec->version);
    if (!d.note.empty()) member("note", d.note);
    reply.close('}');
  }
  reply.close(']');
}

}  // namespace harness
