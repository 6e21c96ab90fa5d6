"""What every codec is measured by: the same loops, the same documents, the same clock."""

import functools
import gc
import importlib.util
import os
import resource
import types
from itertools import chain, repeat
from time import perf_counter_ns as now
from time import process_time_ns as cpu_time  # of all threads

HERE = os.path.dirname(os.path.abspath(__file__))


class Codec:
    """A library in one mode. The file codecs/NAME.py has it as CODEC."""

    def __init__(self, *, version, family, decoder, encoder, text=False, keeps_utf8=False, check=None, note="", traits=()):
        self.version = version
        self.family = family  # the module of what it decodes to: dom, structs or messages
        self.decoder = decoder  # of a root's number: a callable from bytes to an object
        self.encoder = encoder  # of a root's number: a callable from an object to bytes
        self.text = text  # the encoder gives str, which has yet to be made bytes
        self.keeps_utf8 = keeps_utf8  # encoding leaves its UTF-8 in a str that is not ASCII, so that the next time is quicker
        self.check = check or (lambda root, documents: "")  # why it cannot handle them
        self.note = note  # what only the running program can find out
        self.traits = traits  # likewise


@functools.cache
def load(name):
    """Imports a codec's file, by its path: its folder's name is a standard module's, and so may be its own."""
    path = os.path.join(HERE, "codecs", name + ".py")
    spec = importlib.util.spec_from_file_location("codec_" + name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.CODEC


class Root:
    """A codec on one root message."""

    def __init__(self, codec, root):
        self.decode = codec.decoder(root)
        self.encode = codec.encoder(root)
        self.text = codec.text
        encode = encode_text if codec.text else encode_bytes
        self._loops = {
            "decode": (own(codec.family.DECODE[root]), self.decode),
            "visit": (own(codec.family.VISIT[root]), self.decode),
            "encode": (own(encode), self.encode),
        }

    def run(self, operation, rounds):
        """Returns the nanoseconds of the whole loop, and the sum of what the operations add."""
        loop, call = self._loops[operation]
        return loop(call, rounds)

    def written(self, value):
        """The value as bytes, outside of any loop."""
        out = self.encode(value)
        return out.encode() if self.text else out


def own(loop):
    """A copy of a loop for one codec: CPython specialises bytecode to the callables that it has met."""
    return types.FunctionType(loop.__code__.replace(), loop.__globals__, loop.__name__)


# The loops. Those of decode and visit are generated, so that a root's leaf is read in place: a call of its own would
# cost more than some small documents' whole decoding. An object is let go before the next is made, as in a program.


def encode_bytes(encode, rounds):
    total = 0
    start = now()
    for objects in rounds:
        for v in objects:
            total += len(encode(v))
    return now() - start, total


def encode_text(encode, rounds):
    total = 0
    start = now()
    for objects in rounds:
        for v in objects:
            total += len(encode(v).encode())
    return now() - start, total


def empty(rounds):
    """The loop around nothing, with what the least checksum costs."""
    total = 0
    start = now()
    for documents in rounds:
        for b in documents:
            v = b
            total += len(v)
            del v
    return now() - start, total


BLOCK = 256  # items that a loop passes without an outer step


def rounds(items, n):
    """The first n items, going round: an iterator over lists of them. It allocates nothing while it is used."""
    items = items * max(1, min(BLOCK, n) // len(items))
    whole, rest = divmod(n, len(items))
    return chain(repeat(items, whole), (items[:rest],))


def interruptions():
    """How often the process was preempted so far, and how often the garbage collector ran, in any generation."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_nivcsw, sum(g["collections"] for g in gc.get_stats())


def clock_step():
    """The smallest difference that two readings of the clock show, in ns."""
    least = 10**9
    for _ in range(2000):
        start = now()
        step = now() - start
        while step <= 0:
            step = now() - start
        least = min(least, step)
    return least
