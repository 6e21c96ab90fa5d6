// The runner's side of the protocol (docs/protocol.md).
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "harness/codec.hpp"
#include "harness/counter.hpp"
#include "harness/json.hpp"

namespace harness {

// Description is what a codec's header says of it, and what the program was built of.
struct Description {
  std::string name, format, documents, library, note;
  std::vector<std::string> operations, traits;
};

// RootName is a root message of the model.
struct RootName {
  std::string sample, type;
};

// Built is what this program was built for (built.cpp).
struct Built {
  std::string runtime;
  std::vector<Description> codecs;
  std::vector<RootName> roots;
};

extern const Built built;

// File is a documents file in memory.
struct File {
  std::string content;
  std::vector<std::string_view> documents;
  int nesting = 0;  // of arrays and objects in one another, where this is JSON

  File(const std::string& path, std::int64_t count, bool json);
};

// Objects bounds what is kept of the objects that encode starts from: those of a
// large sample, by every codec, would take many times its size.
class Objects {
 public:
  // add notes that a document has got its object.
  void add(Document& d, void (*destroy)(void*));
  // trim drops the oldest, until those left are of no more bytes of documents.
  void trim(std::size_t most);

 private:
  struct Kept {
    Document* document;
    void (*destroy)(void*);
  };
  std::deque<Kept> kept_;
  std::size_t bytes_ = 0;  // of the documents that have an object
};

// Prepared is a codec that is ready for a sample.
struct Prepared {
  const Codec* codec;
  const Description* description;
  const Root* root = nullptr;
  std::shared_ptr<const File> file;
  std::vector<Document> documents;
  std::string skipped;

  // ready gives an operation for documents from first on: encode's get their
  // objects, untimed, those that have none yet.
  Operation ready(std::string_view operation, std::size_t first, std::size_t count, Objects& objects);
};

class Server {
 public:
  // answer gives the reply to one request. What goes wrong is an error of that
  // request only.
  std::string answer(const std::string& line);
  bool stopped() const { return stopped_; }

 private:
  using Sample = std::map<std::string, Prepared, std::less<>>;  // by codec

  std::map<std::string, Sample, std::less<>> samples_;
  Objects objects_;  // of samples_
  std::string prepare_line_;  // the last one, for the counter
  Counter counter_;
  bool stopped_ = false;

  void handle(const Json& request, const std::string& line, Text& reply);
  void describe(Text&);
  void prepare(const Json&, Text&);
  void verify(const Json&, Text&);
  void cold(const Json&, Text&);
  void measure(const Json&, Text&);
  void memory(const Json&, Text&);
  void empty(const Json&, Text&);

  void read_sample(const Json& request, const Json& codecs, Sample& to);
  Prepared& find(const Json& request);
};

}  // namespace harness
