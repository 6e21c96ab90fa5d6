"""The runner's program, which answers benchmark requests besides: codecs are then measured by timeit as well, in the same
process: some libraries' time for a small document changes by a tenth with how the heap has grown. A benchmark request
is the word, and fields separated by tabs: sample, codec, operation, warm-up iterations, iterations. The answer is the
nanoseconds of all iterations, or "error" and what went wrong. What is timed is the library's call on each document, with
what the runner's checksum takes of the result: some libraries need less time for a small document than Python for
reading one member.
"""

import functools
import gc
import inspect
import os
import re
import sys
import timeit

import harness
import protocol_main
from server import PART, PART_BYTES, Server


class Benchmark:
    """One operation of a codec that the runner has prepared."""

    def __init__(self, prepared, operation):
        codec = harness.load(prepared.name)
        decode = prepared.root.decode
        self.documents = prepared.documents
        # Objects are encoded once where a second time would be quicker.
        self.once = operation == "encode" and prepared.once
        if operation == "encode":
            statement = f"for v in items: total += len(call(v){'.encode()' if codec.text else ''})"
            self.names = {"call": prepared.root.encode}
            times = self.documents * (self.part() if self.once else 1)
            self.items = lambda: [decode(b) for b in times]
        else:
            loop = inspect.getsource(prepared.root._loops["decode"][0])
            statement = f"for b in items:\n    v = call(b)\n    total += {re.search(r'total [+]= (.*)', loop).group(1)}\n    del v"
            self.names = {**vars(codec.family), "call": decode}
            self.items = lambda: self.documents
        self.names["items"] = self.items()
        # timeit turns the collector off unless its set-up turns it on; programs have it on.
        self.timer = timeit.Timer(statement, "import gc; gc.enable(); total = 0", globals=self.names)

    def part(self):
        """How many rounds of objects that are used once are made at a time: as the runner does."""
        size = sum(map(len, self.documents)) // len(self.documents)
        return max(1, min(PART, PART_BYTES // max(1, size)) // len(self.documents))

    def seconds(self, iterations):
        if self.once:
            return self.afresh(iterations)
        # Where a few small documents went round, timeit's own loop would be a tenth of the time.
        items = self.names["items"]
        block = items * max(1, harness.BLOCK // len(items))
        whole, rest = divmod(iterations, len(block))
        seconds = 0
        for self.names["items"], times in (block, whole), (block[:rest], 1):
            seconds += self.timer.timeit(times)
        self.names["items"] = items
        return seconds

    def afresh(self, iterations):
        seconds = 0
        while iterations > 0:
            self.names["items"] = self.items()[:iterations]
            iterations -= len(self.names["items"])
            seconds += self.timer.timeit(1)
        return seconds


def main():
    sys.setrecursionlimit(protocol_main.RECURSION)
    with os.fdopen(os.dup(1), "wb") as replies:
        os.dup2(2, 1)
        server = Server()
        benchmark = functools.cache(lambda sample, codec, operation: Benchmark(server.samples[sample][codec], operation))
        while not server.stopped and (line := sys.stdin.buffer.readline()):
            if line.startswith(b"benchmark\t"):
                reply = answer(benchmark, *line.decode().rstrip("\n").split("\t")[1:]).encode()
            else:
                reply = protocol_main.WRITER.encode(protocol_main.answer(server, line)).encode()
            replies.write(reply + b"\n")
            replies.flush()


def answer(benchmark, sample, codec, operation, warm, iterations):
    try:
        b = benchmark(sample, codec, operation)
        b.seconds(int(warm))
        gc.collect()  # from a settled heap, as the runner
        return str(round(b.seconds(int(iterations)) * 1e9))
    except Exception as e:
        return "error\t" + " ".join(f"{type(e).__name__}: {e}".split())


main()
