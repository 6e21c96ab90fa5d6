// What the codecs of Protobuf's messages share.
#pragma once

#include <stdexcept>

#include "harness/codec.hpp"
#include "messages/sums.hpp"

// The version is one number: major * 1000000 + minor * 1000 + patch.
inline std::string protobuf_version() {
  constexpr int v = GOOGLE_PROTOBUF_VERSION;
  const std::string text = std::to_string(v / 1000000) + "." + std::to_string(v / 1000 % 1000) + "." + std::to_string(v % 1000);
  return harness::dated(text, "3.21.12", "2022-12");
}

// Binary is the wire format.
struct Binary {
  template <class T> static void decode(std::string_view bytes, T& message) {
    if (!message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
      throw std::runtime_error("the message does not parse: it is broken, or nested more than 100 deep, which is the library's limit");
    }
  }
  template <class T> static std::string encode(const T& message) { return message.SerializeAsString(); }
  static std::string_view view(const std::string& out) { return out; }
};
