#include "harness/counter.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <vector>

#include "harness/loop.hpp"

extern char** environ;

namespace harness {

static constexpr char library[] = "./libcount.so";  // runners start in their own folder
static constexpr char program[] = "/proc/self/exe";

void Counter::start() {
  if (access(library, R_OK) != 0 || access(program, X_OK) != 0) throw Skipped{"counting allocations needs Linux with glibc"};
  int requests[2], replies[2];
  if (pipe2(requests, O_CLOEXEC) != 0 || pipe2(replies, O_CLOEXEC) != 0) throw std::runtime_error(std::strerror(errno));
  in_ = fdopen(requests[1], "w");
  out_ = fdopen(replies[0], "r");
  std::vector<char*> environment;
  for (char** e = environ; *e != nullptr; e++) environment.push_back(*e);
  std::string preload = std::string("LD_PRELOAD=") + library, name = "runner";
  environment.push_back(preload.data());
  environment.push_back(nullptr);
  char* arguments[] = {name.data(), nullptr};
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, requests[0], 0);
  posix_spawn_file_actions_adddup2(&files, replies[1], 1);
  const int error = posix_spawn(&pid_, program, &files, nullptr, arguments, environment.data());
  posix_spawn_file_actions_destroy(&files);
  close(requests[0]);
  close(replies[1]);
  if (error != 0) {
    pid_ = -1;
    throw std::runtime_error(std::string("the process that counts allocations does not start: ") + std::strerror(error));
  }
}

void Counter::stop() {
  if (in_ != nullptr) std::fclose(in_);
  if (out_ != nullptr) std::fclose(out_);
  if (pid_ > 0) waitpid(pid_, nullptr, 0);
  pid_ = -1;
  in_ = out_ = nullptr;
}

std::string Counter::exchange(const std::string& request) {
  std::fputs(request.c_str(), in_);
  std::fputc('\n', in_);
  std::fflush(in_);
  char* line = nullptr;
  std::size_t size = 0;
  const ssize_t n = getline(&line, &size, out_);
  const std::string reply(line, n > 0 ? n - 1 : 0);  // without the end of the line
  std::free(line);
  if (n <= 0) {
    stop();
    throw std::runtime_error("the process that counts allocations has ended");
  }
  return reply;
}

std::string Counter::ask(const std::string& prepare, const std::string& request) {
  if (pid_ < 0) {
    stop();
    start();
    exchange(prepare);
  }
  return exchange(request);
}

}  // namespace harness
