"""Measures codecs by timeit: python loop.py BUILD. It reads a request per line, fields separated by tabs (codec,
operation, root, file, warm-up iterations, iterations), and answers with the nanoseconds of all iterations, or with
"error" and what went wrong. What is timed is what a programmer would write: the library's call, on each document.
"""

import sys
import timeit

sys.path.insert(0, sys.argv[1])

import harness
import server

STATEMENTS = {
    ("decode", False): "for b in documents: call(b)",
    ("decode", True): "for b in documents: call(b)",
    ("encode", False): "for v in objects: call(v)",
    ("encode", True): "for v in objects: call(v).encode()",
}
prepared = {}


def prepare(name, root, path):
    """Keeps documents with the objects that encode starts from, as the runner does."""
    if (name, path) not in prepared:
        codec = harness.load(name)
        decode = codec.decoder(root)
        documents = server.read_documents(path)
        prepared[name, path] = {
            "text": codec.text,
            "decode": decode,
            "encode": codec.encoder(root),
            "documents": documents,
            "objects": [decode(b) for b in documents],
        }
    return prepared[name, path]


def answer(name, operation, root, path, warm, iterations):
    p = prepare(name, int(root), path)
    names = {"call": p[operation], "documents": p["documents"], "objects": p["objects"]}
    # timeit turns the collector off unless its set-up turns it on; programs have it on.
    timer = timeit.Timer(STATEMENTS[operation, p["text"]], "import gc; gc.enable()", globals=names)
    timer.timeit(int(warm) // len(p["documents"]))
    return round(timer.timeit(int(iterations) // len(p["documents"])) * 1e9)


sys.setrecursionlimit(4000)
for line in sys.stdin:
    try:
        print(answer(*line.rstrip("\n").split("\t")), flush=True)
    except Exception as e:
        print("error", " ".join(f"{type(e).__name__}: {e}".split()), sep="\t", flush=True)
