// What every codec is measured by: the same documents, operations and loop.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace harness {

// Document is one document as one codec sees it. The object is what the codec's
// own decode made of the bytes, null until encode needs it.
struct Document {
  std::string_view bytes;
  void* object = nullptr;
};

// Operation is one timed operation. It returns the number that the protocol
// wants of it: encode the bytes written, decode the leaf, visit the sum. It
// throws where the codec fails.
using Operation = std::uint32_t (*)(const Document&);

struct Sums {
  std::uint32_t leaf, visit;
};

// Root is a codec on one root message.
struct Root {
  Operation encode, decode, visit;

  // The same steps one by one, for verify; never timed.
  void* (*make)(std::string_view bytes);
  void (*destroy)(void* object);
  std::string (*bytes)(const void* object);
  Sums (*sums)(const void* object);
};

// Codec is a library in one mode.
struct Codec {
  std::string name;
  std::string version;      // the library's, in this very program
  std::vector<Root> roots;  // in the order of the model's
  std::string (*check)(std::string_view root) = nullptr;  // why it cannot handle that message; may be null
  int nesting = 2000;  // how deep a document's arrays and objects may lie in one another: what the stack has room for
};

// enroll adds a codec; each codec's file does so once, before main.
bool enroll(Codec);

// lookup finds a codec by its name, or gives null.
const Codec* lookup(std::string_view name);

// dated adds when a version was released, where the version is the known one:
// systems often carry old libraries, and a reader of figures should see that.
std::string dated(std::string version, std::string_view known, std::string_view month);

// keep makes the compiler believe that a value is used.
template <class T> void keep(const T& value) { asm volatile("" : : "r"(&value) : "memory"); }

// Operations calls the codec C directly, so that a timed operation costs one
// indirect call, the loop's. The root object lies on the stack, as in
// most C++ programs; freeing all that an operation made is part of its cost,
// since a program pays for that too.
template <class C, class T, std::uint32_t (*leaf)(const T&), std::uint32_t (*visit)(const T&)> struct Operations {
  using Holder = typename C::template Holder<T>;

  static std::uint32_t encode_one(const Document& d) {
    const auto out = C::encode(**static_cast<const Holder*>(d.object));
    keep(out);
    return static_cast<std::uint32_t>(C::view(out).size());
  }
  static std::uint32_t decode_one(const Document& d) {
    Holder object;
    C::decode(d.bytes, *object);
    keep(*object);
    return leaf(*object);
  }
  static std::uint32_t visit_one(const Document& d) {
    Holder object;
    C::decode(d.bytes, *object);
    return visit(*object);
  }
  static void* make(std::string_view bytes) {
    auto object = std::make_unique<Holder>();
    C::decode(bytes, **object);
    return object.release();
  }
  static void destroy(void* object) { delete static_cast<Holder*>(object); }
  static std::string bytes(const void* object) {
    const auto out = C::encode(**static_cast<const Holder*>(object));
    return std::string(C::view(out));
  }
  static Sums sums(const void* object) {
    const T& message = **static_cast<const Holder*>(object);
    return {leaf(message), visit(message)};
  }

  static constexpr Root root{encode_one, decode_one, visit_one, make, destroy, bytes, sums};
};

// Plain holds a message by value.
template <class T> struct Plain {
  T message{};
  T& operator*() { return message; }
  const T& operator*() const { return message; }
};

}  // namespace harness
