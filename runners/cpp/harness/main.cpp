// The runner holds codecs and times them. It speaks wirecost's runner protocol:
// requests on standard input, replies on standard output.
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <string>

#include "harness/server.hpp"

// max_line is the longest request that is read.
static constexpr std::size_t max_line = 16 << 20;

// next_line reads a line; false at the end of the input.
static bool next_line(std::string& line) {
  line.clear();
  int c = 0;
  while ((c = getc_unlocked(stdin)) != EOF && c != '\n') {
    if (line.size() == max_line) {
      std::fputs("runner: a request has more than 16 MB\n", stderr);
      std::_Exit(1);
    }
    line.push_back(static_cast<char>(c));
  }
  return c != EOF || !line.empty();
}

int main() {
  std::FILE* replies = fdopen(fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3), "w");
  dup2(STDERR_FILENO, STDOUT_FILENO);  // what a library prints is no reply
  harness::Server server;
  std::string line;
  while (!server.stopped() && next_line(line)) {
    const std::string reply = server.answer(line) + '\n';
    if (std::fwrite(reply.data(), 1, reply.size(), replies) != reply.size() || std::fflush(replies) != 0) return 1;
  }
  return 0;
}
