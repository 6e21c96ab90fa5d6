// An adapter for types/json.hpp that only writes, with nothing but the standard
// library: what codecs without an encoder hand over in "verify".
#pragma once

#include "harness/json.hpp"
#include "types/members.hpp"

namespace types {

struct TextAdapter {
  using Text = harness::Text;

  static void put(Text& out, std::nullptr_t) { out.raw("null"); }
  static void put(Text& out, bool v) { out.raw(v ? "true" : "false"); }
  static void put(Text& out, std::int64_t v) { out.number(v); }
  static void put(Text& out, std::uint64_t v) { out.number(v); }
  static void put(Text& out, double v) { out.raw(format_double(v)); }
  static void put(Text& out, std::string_view v) { out.string(v); }
  static void put_number(Text& out, std::string_view v) { out.raw(v); }
  template <class F> static void array(Text& out, std::size_t, F f) { out.open('['), f(out), out.close(']'); }
  template <class F> static void object(Text& out, F f) { out.open('{'), f(out), out.close('}'); }
  static Text& element(Text& out) { return out; }
  static Text& member(Text& out, std::string_view key) { return out.key(key), out; }
};

}  // namespace types
