#include "harness/server.hpp"

#include <algorithm>
#include <fstream>
#include <stdexcept>
#include <utility>

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "harness/loop.hpp"

namespace harness {

namespace {

constexpr std::int64_t max_iterations = std::int64_t{1} << 40;

// How much the documents come to, in bytes, whose objects stay for later requests.
constexpr std::size_t most_kept = 1 << 20;

std::int64_t bounded(const Json& n, std::int64_t most) {
  const std::int64_t v = n.integer();
  if (v < 1 || v > most) throw std::runtime_error(std::to_string(v) + " is not between 1 and " + std::to_string(most));
  return v;
}

// nesting is how deep arrays and objects lie in one another.
int nesting(std::string_view json) {
  int depth = 0, most = 0;
  bool string = false;
  for (std::size_t i = 0; i < json.size(); i++) {
    const char c = json[i];
    if (string) {
      if (c == '\\') i++;
      if (c == '"') string = false;
    } else if (c == '"') {
      string = true;
    } else if (c == '[' || c == '{') {
      most = std::max(most, ++depth);
    } else if (c == ']' || c == '}') {
      depth--;
    }
  }
  return most;
}

std::uint32_t little_endian(std::string_view b) {
  std::uint32_t n = 0;
  for (int i = 3; i >= 0; i--) n = n << 8 | static_cast<unsigned char>(b[i]);
  return n;
}

}  // namespace

// The layout: for each document its length as a little-endian 32-bit number, and
// that many bytes.
File::File(const std::string& path, std::int64_t count, bool json) {
  std::ifstream in(path, std::ios::binary | std::ios::ate);
  if (in) content.resize(static_cast<std::size_t>(in.tellg()));
  if (!in.seekg(0).read(content.data(), static_cast<std::streamsize>(content.size()))) throw std::runtime_error(path + ": cannot be read");
  std::string_view rest = content;
  while (rest.size() >= 4) {
    const std::size_t n = little_endian(rest);
    rest.remove_prefix(4);
    if (n > rest.size()) throw std::runtime_error(path + ": the last document is cut short");
    documents.push_back(rest.substr(0, n));
    if (json) nesting = std::max(nesting, harness::nesting(documents.back()));
    rest.remove_prefix(n);
  }
  if (!rest.empty() || count < 1 || documents.size() != static_cast<std::size_t>(count)) {
    throw std::runtime_error(path + ": has " + std::to_string(documents.size()) + " documents; want " + std::to_string(count));
  }
}

void Objects::add(Document& d, void (*destroy)(void*)) {
  kept_.push_back({&d, destroy});
  bytes_ += d.bytes.size();
}

void Objects::trim(std::size_t most) {
  while (!kept_.empty() && bytes_ > most) {
    const auto [document, destroy] = kept_.front();
    kept_.pop_front();
    bytes_ -= document->bytes.size();
    destroy(std::exchange(document->object, nullptr));
  }
}

Operation Prepared::ready(std::string_view operation, std::size_t first, std::size_t count, Objects& objects) {
  for (const std::string& offered : description->operations) {
    if (offered != operation) continue;
    if (operation == "decode") return root->decode;
    if (operation == "visit") return root->visit;
    for (std::size_t i = first; i < first + count; i++) {
      if (documents[i].object != nullptr) continue;
      documents[i].object = root->make(documents[i].bytes);
      objects.add(documents[i], root->destroy);
    }
    return root->encode;
  }
  throw Skipped{codec->name + " has no operation " + std::string(operation)};
}

std::string Server::answer(const std::string& line) {
  Json request;
  std::string member, what;
  try {
    request = Json::parse(line);
    Text reply;
    reply.open('{');
    reply.key("id"), reply.number(request.at("id").integer());
    handle(request, line, reply);
    reply.close('}');
    return reply.out;
  } catch (const Skipped& skipped) {
    member = "skipped", what = skipped.why;
  } catch (const std::exception& e) {
    member = "error", what = e.what();
  } catch (...) {
    member = "error", what = "an exception of unknown type";
  }
  for (char& c : what) {
    if (static_cast<unsigned char>(c) >= 0x80) c = '?';  // libraries quote documents, also invalid UTF-8
  }
  Text reply;
  reply.open('{');
  reply.key("id"), reply.raw(request.at("id").kind == Json::Kind::number ? request.at("id").text : "0");
  reply.key(member), reply.string(what);
  reply.close('}');
  return reply.out;
}

void Server::handle(const Json& request, const std::string& line, Text& reply) {
  const std::string& what = request.at("request").text;
  if (what == "memory" && !counts_allocations()) {
    objects_.trim(0);  // another process has its own now
#ifdef __GLIBC__
    malloc_trim(0);
#endif
    reply.out = counter_.ask(prepare_line_, line);
    reply.out.pop_back();  // answer closes it
    return;
  }
  counter_.stop();
  if (what == "describe") return describe(reply);
  if (what == "prepare") {
    prepare_line_ = line;
    return prepare(request, reply);
  }
  if (what == "verify") return verify(request, reply);
  if (what == "cold") return cold(request, reply);
  if (what == "measure") return measure(request, reply);
  if (what == "memory") return memory(request, reply);
  if (what == "empty") return empty(request, reply);
  if (what != "stop") throw std::runtime_error("unknown request " + what);
  stopped_ = true;
}

void Server::prepare(const Json& request, Text& reply) {
  objects_.trim(0);
  samples_.clear();
  for (const Json& q : request.at("samples").items) read_sample(q, request.at("codecs"), samples_[q.at("sample").text]);
  reply.key("skips"), reply.open('[');
  for (const auto& [name, sample] : samples_) {
    for (const auto& [codec, prepared] : sample) {
      if (prepared.skipped.empty()) continue;
      reply.open('{');
      reply.key("sample"), reply.string(name);
      reply.key("codec"), reply.string(codec);
      reply.key("reason"), reply.string(prepared.skipped);
      reply.close('}');
    }
  }
  reply.close(']');
}

static std::size_t find_root(const std::string& sample, const std::string& type) {
  std::size_t found = built.roots.size();
  for (std::size_t i = 0; i < built.roots.size(); i++) {
    const bool wanted = type.empty() || built.roots[i].type == type;
    if (built.roots[i].sample == sample && wanted) return i;
    if (built.roots[i].type == type) found = i;
  }
  if (found == built.roots.size()) throw std::runtime_error(sample + ": this runner was not built for the root " + type);
  return found;
}

static const Description& find_description(const std::string& name) {
  for (const Description& d : built.codecs) {
    if (d.name == name && lookup(name) != nullptr) return d;
  }
  throw std::runtime_error("this runner has no codec " + name);
}

// read_sample reads the forms that the codecs need, each once.
void Server::read_sample(const Json& request, const Json& codecs, Sample& to) {
  const std::size_t root = find_root(request.at("sample").text, request.at("root").text);
  std::map<std::string, std::shared_ptr<const File>> forms;
  for (const Json& name : codecs.items) {
    const Description& d = find_description(name.text);
    Prepared& p = to[d.name];
    p.description = &d;
    p.codec = lookup(d.name);
    p.root = &p.codec->roots[root];
    if (p.codec->check != nullptr) p.skipped = p.codec->check(built.roots[root].type);
    if (!p.skipped.empty()) continue;
    const std::string& path = request.at("files").at(d.documents).text;
    if (path.empty()) {
      p.skipped = "there are no documents in the form " + d.documents;
      continue;
    }
    auto& file = forms[d.documents];
    if (file == nullptr) file = std::make_shared<const File>(path, request.at("documents").integer(), d.documents != "protobuf");
    if (file->nesting > p.codec->nesting) {
      p.skipped = "a document is nested " + std::to_string(file->nesting) + " deep; this codec takes " + std::to_string(p.codec->nesting);
      continue;
    }
    p.file = file;
    for (const std::string_view bytes : file->documents) p.documents.push_back({bytes});
  }
}

Prepared& Server::find(const Json& request) {
  const auto sample = samples_.find(request.at("sample").text);
  if (sample == samples_.end()) throw std::runtime_error("the sample " + request.at("sample").text + " was not prepared");
  const auto p = sample->second.find(request.at("codec").text);
  if (p == sample->second.end()) throw std::runtime_error("the codec " + request.at("codec").text + " was not prepared");
  if (!p->second.skipped.empty()) throw Skipped{p->second.skipped};
  return p->second;
}

// verify decodes every document, and writes what the codec encodes again.
void Server::verify(const Json& request, Text& reply) {
  Prepared& p = find(request);
  const std::string& path = request.at("out").text;
  std::ofstream out(path, std::ios::binary);
  std::vector<std::uint32_t> leaf, visit;
  for (const Document& d : p.documents) {
    const std::shared_ptr<void> object(p.root->make(d.bytes), p.root->destroy);
    const Sums sums = p.root->sums(object.get());
    leaf.push_back(sums.leaf), visit.push_back(sums.visit);
    const std::string bytes = p.root->bytes(object.get());
    for (int shift = 0; shift < 32; shift += 8) out.put(static_cast<char>(bytes.size() >> shift));
    out << bytes;
  }
  if (!out.flush()) throw std::runtime_error(path + ": cannot be written");
  reply.numbers("leaf", leaf);
  reply.numbers("visit", visit);
}

void Server::cold(const Json& request, Text& reply) {
  Prepared& p = find(request);
  const std::string& operation = request.at("operation").text;
  std::vector<std::int64_t> ns(bounded(request.at("count"), 1 << 20));
  for (std::size_t i = 0; i < ns.size(); i++) {
    const std::size_t k = i % p.documents.size();
    const Operation op = p.ready(operation, k, 1, objects_);
    ns[i] = run(op, &p.documents[k], 1, 1).ns;
  }
  reply.numbers("ns", ns);
}

void Server::measure(const Json& request, Text& reply) {
  struct Batch {
    Operation operation;
    const Document* documents;
    std::size_t count;
    std::int64_t iterations;
  };
  std::vector<Batch> batches;
  objects_.trim(most_kept);
  for (const Json& q : request.at("turn").items) {
    Prepared& p = find(q);
    const std::int64_t all = static_cast<std::int64_t>(p.documents.size());
    const std::int64_t first = q.at("document").integer(), window = q.at("window").integer();
    if (first < 0 || window < 1 || first > all || window > all - first) {
      throw std::runtime_error("batch " + std::to_string(batches.size()) + ": its window is not within the " + std::to_string(all) + " documents");
    }
    // The objects that encode starts from are made here, so that the turn's CPU time holds nothing of that.
    const Operation op = p.ready(q.at("operation").text, first, window, objects_);
    batches.push_back({op, &p.documents[first], static_cast<std::size_t>(window), bounded(q.at("iterations"), max_iterations)});
  }
  std::vector<std::int64_t> wall(batches.size());
  std::vector<std::uint32_t> sums(batches.size());
  const Usage before = usage();
  for (std::size_t i = 0; i < batches.size(); i++) {
    const Batch& b = batches[i];
    const Timed t = run(b.operation, b.documents, b.count, b.iterations);
    wall[i] = t.ns, sums[i] = t.sum;
  }
  const Usage after = usage();
  reply.numbers("wall_ns", wall);
  reply.numbers("checksum", sums);
  reply.key("cpu_ns"), reply.number(after.cpu < 0 ? after.cpu : after.cpu - before.cpu);
  reply.key("preemptions"), reply.number(after.preemptions < 0 ? after.preemptions : after.preemptions - before.preemptions);
  reply.key("collections"), reply.number(std::int64_t{0});  // nothing collects
}

// memory runs in the process that counts. The first round is left out: buffers
// that are kept fill then.
void Server::memory(const Json& request, Text& reply) {
  Prepared& p = find(request);
  const std::int64_t n = bounded(request.at("iterations"), max_iterations);
  const std::size_t count = p.documents.size();
  objects_.trim(most_kept);
  const Operation op = p.ready(request.at("operation").text, 0, count, objects_);
  run(op, p.documents.data(), count, std::min<std::int64_t>(n, count));
  const Allocations before = allocations();
  run(op, p.documents.data(), count, n);
  const Allocations after = allocations();
  reply.key("allocations"), reply.number(after.count - before.count);
  reply.key("bytes"), reply.number(after.bytes - before.bytes);
}

void Server::empty(const Json& request, Text& reply) {
  const std::vector<Document> documents(16);
  const Timed t = run(nothing, documents.data(), documents.size(), bounded(request.at("iterations"), max_iterations));
  reply.key("wall_ns"), reply.number(t.ns);
}

}  // namespace harness
