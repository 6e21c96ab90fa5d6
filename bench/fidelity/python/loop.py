"""Measures codecs by timeit: python loop.py BUILD. It reads a request per line, fields separated by tabs (codec,
operation, root, file, warm-up iterations, iterations), and answers with the nanoseconds of all iterations, or with
"error" and what went wrong. What is timed is the library's call on each document, with what the runner's checksum
takes of the result: some libraries need less time for a small document than Python for reading one member.
"""

import inspect
import re
import sys
import timeit

sys.path.insert(0, sys.argv[1])

import harness
import server

prepared = {}


def prepare(name, root, path):
    """Keeps documents with the objects that encode starts from, as the runner does."""
    if (name, path) not in prepared:
        codec = harness.load(name)
        decode = codec.decoder(root)
        documents = server.read_documents(path)
        prepared[name, path] = {
            "decode": {**vars(codec.family), "call": decode, "items": documents},
            "encode": {"call": codec.encoder(root), "items": [decode(b) for b in documents]},
            # Objects are encoded once where a second time would be quicker.
            "again": codec.keeps_utf8 and (lambda: [decode(b) for b in documents]),
        }
    return prepared[name, path]


def statement(name, operation, root):
    codec = harness.load(name)
    if operation == "encode":
        return f"for v in items: total += len(call(v){'.encode()' if codec.text else ''})"
    leaf = re.search(r"total \+= (.*)", inspect.getsource(codec.family.DECODE[root])).group(1)
    return f"for b in items:\n    v = call(b)\n    total += {leaf}\n    del v"


def answer(name, operation, root, path, warm, iterations):
    p = prepare(name, int(root), path)
    names = p[operation]
    # timeit turns the collector off unless its set-up turns it on; programs have it on.
    setup = "import gc; gc.enable(); total = 0"
    timer = timeit.Timer(statement(name, operation, int(root)), setup, globals=names)
    timer.timeit(int(warm) // len(names["items"]))
    times = int(iterations) // len(names["items"])
    if operation == "decode" or not p["again"]:
        return round(timer.timeit(times) * 1e9)
    seconds = 0
    for _ in range(times):
        names["items"] = p["again"]()
        seconds += timer.timeit(1)
    return round(seconds * 1e9)


sys.setrecursionlimit(4000)
for line in sys.stdin:
    try:
        print(answer(*line.rstrip("\n").split("\t")), flush=True)
    except Exception as e:
        print("error", " ".join(f"{type(e).__name__}: {e}".split()), sep="\t", flush=True)
