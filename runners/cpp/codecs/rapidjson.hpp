// What the codecs of RapidJSON share.
#pragma once

#include <rapidjson/document.h>
#include <rapidjson/error/en.h>
#include <rapidjson/rapidjson.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <stdexcept>

#include "harness/codec.hpp"
#include "types/members.hpp"

namespace types {

// RapidJson reads into the library's document and takes the values from there, as
// most of its users do, and writes with its Writer. The library checks types by
// assertions only, so they are checked here.
template <unsigned flags> struct RapidJson {
  using In = rapidjson::Value;
  using Writer = rapidjson::Writer<rapidjson::StringBuffer>;

  static void need(bool ok) {
    if (!ok) fail("a value has the wrong type");
  }

  static Kind kind(const In& in) {
    switch (in.GetType()) {
      case rapidjson::kObjectType: return Kind::object;
      case rapidjson::kArrayType: return Kind::array;
      case rapidjson::kStringType: return Kind::string;
      case rapidjson::kNumberType: return Kind::number;
      case rapidjson::kNullType: return Kind::null;
      default: return Kind::boolean;
    }
  }
  static bool is_null(const In& in) { return in.IsNull(); }
  static bool boolean(const In& in) { return need(in.IsBool()), in.GetBool(); }
  static std::string_view text(const In& in) { return need(in.IsString()), std::string_view(in.GetString(), in.GetStringLength()); }
  static double real(const In& in) { return need(in.IsNumber()), in.GetDouble(); }
  template <class T> static T integer(const In& in) { return need(in.Is<T>()), in.Get<T>(); }
  static std::string number_text(const In&) { fail("a number's text is lost"); }

  static std::size_t count(const In& in) { return in.IsArray() ? in.Size() : 0; }
  template <class F> static void elements(const In& in, F f) {
    need(in.IsArray());
    for (const In& e : in.GetArray()) f(e);
  }
  template <class F> static void members(const In& in, F f) {
    need(in.IsObject());
    for (const auto& m : in.GetObject()) f(text(m.name), m.value);
  }

  static void put(Writer& out, std::nullptr_t) { out.Null(); }
  static void put(Writer& out, bool v) { out.Bool(v); }
  static void put(Writer& out, std::int64_t v) { out.Int64(v); }
  static void put(Writer& out, std::uint64_t v) { out.Uint64(v); }
  static void put(Writer& out, double v) { out.Double(v); }
  static void put(Writer& out, std::string_view v) { out.String(v.data(), static_cast<rapidjson::SizeType>(v.size())); }
  static void put_number(Writer& out, std::string_view v) { out.RawValue(v.data(), v.size(), rapidjson::kNumberType); }
  template <class F> static void array(Writer& out, std::size_t, F f) { out.StartArray(), f(out), out.EndArray(); }
  template <class F> static void object(Writer& out, F f) { out.StartObject(), f(out), out.EndObject(); }
  static Writer& element(Writer& out) { return out; }
  static Writer& member(Writer& out, std::string_view key) {
    out.Key(key.data(), static_cast<rapidjson::SizeType>(key.size()));
    return out;
  }

  template <class T> using Holder = harness::Plain<T>;
  template <class T> static void decode(std::string_view bytes, T& message) {
    rapidjson::Document document;
    document.Parse<flags>(bytes.data(), bytes.size());
    if (document.HasParseError()) {
      throw std::runtime_error(std::string(rapidjson::GetParseError_En(document.GetParseError())) + " at byte " + std::to_string(document.GetErrorOffset()));
    }
    const In& in = document;
    read<RapidJson>(in, message);
  }
  template <class T> static rapidjson::StringBuffer encode(const T& message) {
    rapidjson::StringBuffer buffer;
    Writer out(buffer);
    write<RapidJson>(out, message);
    return buffer;
  }
  static std::string_view view(const rapidjson::StringBuffer& out) { return {out.GetString(), out.GetSize()}; }

  static std::string check(std::string_view root) {
    const std::string number = kept_number(root);
    return number.empty() ? "" : number + " keeps a number's text, which the library's document has no place for";
  }
};

}  // namespace types
