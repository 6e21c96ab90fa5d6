// Reading and writing of plain types by any JSON library. L is a library's adapter,
// a class of static functions (codecs/*.cpp):
//
//   kind(in)  is_null(in)  boolean(in)  integer<T>(in)  real(in)  text(in)  number_text(in)
//   count(in)                elements of an array, 0 where that is not known
//   elements(in, f)          f(value) for each element of an array
//   members(in, f)           f(key, value) for each member of an object
//   put(out, v)              writes null, a bool, an integer of 64 bits, a double or a text
//   put_number(out, text)    writes a number's own text
//   array(out, n, f)         f(array), where element(array) is the place for the next value
//   object(out, f)           f(object), where member(object, key) is the place for a value
//
// "in" is a library's value, "out" the place where a library's value goes. An adapter
// checks types, and throws.
#pragma once

#include "types/text.hpp"

namespace types {

// Json says how a type is read and written. It is a class, since one set of
// overloads for all messages takes compilers a time that grows with its square.
template <class T> struct Json;

template <class L, class In, class T> void read(In& in, T& out) { Json<T>::template read<L>(in, out); }
template <class L, class Out, class T> void write(Out& out, const T& v) { Json<T>::template write<L>(out, v); }

// read_member reads an object's member, where null means that it is not set.
template <class L, class In, class T> void read_member(In& in, T& out) {
  if (L::is_null(in)) {
    out = T{};
  } else {
    read<L>(in, out);
  }
}

// write_or_null writes an object's member, null where it is not set.
template <class L, class Out, class T> void write_or_null(Out& out, const T& v) { is_set(v) ? write<L>(out, v) : L::put(out, nullptr); }

// Numbers, enums and messages.
template <class T> struct Json {
  template <class L, class In> static void read(In& in, T& out) {
    if constexpr (std::is_same_v<T, bool>) {
      out = L::boolean(in);
    } else if constexpr (std::is_floating_point_v<T>) {
      out = L::kind(in) == Kind::string ? static_cast<T>(parse_not_finite(L::text(in))) : rounded<T>(L::real(in));
    } else if constexpr (std::is_integral_v<T>) {
      out = L::template integer<T>(in);
    } else if constexpr (!std::is_enum_v<T>) {
      out.template read<L>(in);
    } else if (L::kind(in) == Kind::string) {
      from_name(L::text(in), out);
    } else {
      out = static_cast<T>(L::template integer<std::int32_t>(in));  // a value without a name
    }
  }
  template <class L, class Out> static void write(Out& out, const T& v) {
    if constexpr (std::is_same_v<T, bool>) {
      L::put(out, v);
    } else if constexpr (std::is_floating_point_v<T>) {
      std::isfinite(v) ? L::put(out, static_cast<double>(v)) : L::put(out, format_not_finite(v));
    } else if constexpr (std::is_integral_v<T>) {
      L::put(out, static_cast<std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>>(v));
    } else if constexpr (!std::is_enum_v<T>) {
      v.template write<L>(out);
    } else {
      const std::string_view name = name_of(v);
      name.empty() ? L::put(out, static_cast<std::int64_t>(v)) : L::put(out, name);
    }
  }
};

template <> struct Json<std::string> {
  template <class L, class In> static void read(In& in, std::string& out) {
    const std::string_view text = L::text(in);
    out.assign(text.data(), text.size());
  }
  template <class L, class Out> static void write(Out& out, const std::string& v) { L::put(out, std::string_view(v)); }
};

template <> struct Json<Number> {
  template <class L, class In> static void read(In& in, Number& out) { out.text = L::number_text(in); }
  template <class L, class Out> static void write(Out& out, const Number& v) { L::put_number(out, v.text.empty() ? "0" : v.text); }
};

template <class T> struct Json<Quoted<T>> {
  using Plain = typename std::conditional_t<std::is_enum_v<T>, std::underlying_type<T>, std::enable_if<true, T>>::type;
  template <class L, class In> static void read(In& in, Quoted<T>& out) { out.value = static_cast<T>(parse_number<Plain>(L::text(in))); }
  template <class L, class Out> static void write(Out& out, const Quoted<T>& v) {
    L::put(out, std::string_view(format_number(static_cast<Plain>(v.value))));
  }
};

template <class E> struct Json<Numbered<E>> {
  template <class L, class In> static void read(In& in, Numbered<E>& out) { out.value = static_cast<E>(L::template integer<std::int32_t>(in)); }
  template <class L, class Out> static void write(Out& out, const Numbered<E>& v) { L::put(out, static_cast<std::int64_t>(v.value)); }
};

template <Spelling S> struct Json<Bytes<S>> {
  template <class L, class In> static void read(In& in, Bytes<S>& out) { out.data = parse_bytes(L::text(in), S); }
  template <class L, class Out> static void write(Out& out, const Bytes<S>& v) { L::put(out, std::string_view(format_bytes(v.data, S))); }
};

template <> struct Json<Timestamp> {
  template <class L, class In> static void read(In& in, Timestamp& out) { out = parse_timestamp(L::text(in)); }
  template <class L, class Out> static void write(Out& out, const Timestamp& v) { L::put(out, std::string_view(format_timestamp(v))); }
};

template <> struct Json<Duration> {
  template <class L, class In> static void read(In& in, Duration& out) { out = parse_duration(L::text(in)); }
  template <class L, class Out> static void write(Out& out, const Duration& v) { L::put(out, std::string_view(format_duration(v))); }
};

template <> struct Json<Null> {
  template <class L, class In> static void read(In& in, Null&) {
    if (!L::is_null(in)) fail("a value should be null");
  }
  template <class L, class Out> static void write(Out& out, const Null&) { L::put(out, nullptr); }
};

template <class T> struct Json<std::vector<T>> {
  template <class L, class In> static void read(In& in, std::vector<T>& out) {
    out.clear();
    out.reserve(L::count(in));
    L::elements(in, [&](auto& e) {
      if constexpr (std::is_same_v<T, bool>) {
        out.push_back(L::boolean(e));
      } else {
        types::read<L>(e, out.emplace_back());
      }
    });
  }
  template <class L, class Out> static void write(Out& out, const std::vector<T>& v) {
    L::array(out, v.size(), [&](auto& array) {
      if constexpr (std::is_same_v<T, bool>) {
        for (const bool e : v) L::put(L::element(array), e);
      } else {
        for (const T& e : v) types::write<L>(L::element(array), e);
      }
    });
  }
};

// A key that is there twice counts once, with the last value.
template <class K, class T> struct Json<std::map<K, T>> {
  template <class L, class In> static void read(In& in, std::map<K, T>& out) {
    out.clear();
    L::members(in, [&](std::string_view key, auto& value) {
      const auto [entry, fresh] = out.try_emplace(parse_key<K>(key));
      if (!fresh) entry->second = T{};
      types::read<L>(value, entry->second);
    });
  }
  template <class L, class Out> static void write(Out& out, const std::map<K, T>& v) {
    L::object(out, [&](auto& object) {
      for (const auto& [key, e] : v) {
        if constexpr (std::is_same_v<K, std::string>) {
          types::write<L>(L::member(object, key), e);
        } else {
          types::write<L>(L::member(object, format_key(key)), e);
        }
      }
    });
  }
};

// A member with presence that is written though it is not set is null.
template <class T> struct Json<std::optional<T>> {
  template <class L, class In> static void read(In& in, std::optional<T>& out) { types::read<L>(in, out.emplace()); }
  template <class L, class Out> static void write(Out& out, const std::optional<T>& v) { v ? types::write<L>(out, *v) : L::put(out, nullptr); }
};

template <class T> struct Json<std::unique_ptr<T>> {
  template <class L, class In> static void read(In& in, std::unique_ptr<T>& out) {
    out = std::make_unique<T>();
    types::read<L>(in, *out);
  }
  template <class L, class Out> static void write(Out& out, const std::unique_ptr<T>& v) { v ? types::write<L>(out, *v) : L::put(out, nullptr); }
};

template <> struct Json<Value> {
  template <class L, class In> static void read(In& in, Value& out) {
    switch (L::kind(in)) {
      case Kind::null: out.any = nullptr; break;
      case Kind::boolean: out.any = L::boolean(in); break;
      case Kind::number: out.any = L::real(in); break;
      case Kind::string: types::read<L>(in, out.any.emplace<std::string>()); break;
      case Kind::array: types::read<L>(in, out.any.emplace<std::vector<Value>>()); break;
      case Kind::object: types::read<L>(in, out.any.emplace<std::map<std::string, Value>>()); break;
    }
  }
  template <class L, class Out> static void write(Out& out, const Value& v) {
    std::visit(
        [&](const auto& any) {
          if constexpr (std::is_same_v<decltype(any), const std::nullptr_t&>) {
            L::put(out, nullptr);
          } else {
            types::write<L>(out, any);
          }
        },
        v.any);
  }
};

}  // namespace types
