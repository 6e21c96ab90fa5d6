"""The requests, one method each."""

import gc
import os
import re
import struct

import model
from describe import CODECS, description
from harness import Root, cpu_time, empty, interruptions, load, rounds

MAX_COLD = 1 << 20
MAX_ITERATIONS = 1 << 40
MODULUS = 1 << 32

# The objects that encode starts from are several times as large as their documents. They are kept for so many bytes
# of documents, all codecs together; beyond that they are made anew. Those of a document of more than LARGE bytes are kept
# for one request only.
KEPT = 12 << 20
LARGE = 1 << 20
MISSING = object()

# Objects that are encoded once only are made for so many operations and bytes of documents at a time.
PART = 1024
PART_BYTES = 128 << 10

DEPTH = re.compile("recursion|depth", re.IGNORECASE)  # in what libraries say of documents that are nested too deeply

MEMORY = "CPython does not count allocations: what it can tell is what is alive, and not of native libraries"


class Skipped(Exception):
    """It could not be tried."""


class Prepared:
    """A codec that is ready for a sample."""

    def __init__(self, name, root, documents):
        self.name = name
        self.root = Root(load(name), root)
        self.documents = documents
        # Most programs encode an object once. Where a second time would be quicker, objects are not used again.
        self.once = load(name).keeps_utf8 and not all(b.isascii() and b"\\u" not in b for b in documents)
        self.forget()

    def forget(self):
        self.objects = [MISSING] * len(self.documents)


class Batch:
    """One entry of a turn: operations that are timed together."""

    def __init__(self, prepared, request):
        self.prepared, self.operation = prepared, request["operation"]
        self.iterations = request["iterations"]
        self.window = slice(request["document"], request["document"] + request["window"])
        documents = len(prepared.documents)
        if not 0 <= self.window.start < self.window.stop <= documents:
            raise ValueError(f"documents {self.window.start} to {self.window.stop - 1}; the sample has {documents}")
        if not 1 <= self.iterations <= MAX_ITERATIONS:
            raise ValueError(f"{self.iterations} iterations")

    def once(self):
        """Whether its objects are for one use."""
        return self.operation == "encode" and self.prepared.once

    def bytes(self, operations):
        """Bytes of the documents of so many operations, on average."""
        documents = self.prepared.documents[self.window]
        return operations * sum(map(len, documents)) // len(documents)

    def size(self):
        """Bytes of the documents whose objects it needs, and leaves for others."""
        return self.bytes(self.window.stop - self.window.start) if self.operation == "encode" and not self.once() else 0

    def parts(self):
        """Cuts its operations into those whose objects are made together; all of them, where objects serve again."""
        if not self.once():
            return [None]
        step = max(1, min(PART, PART_BYTES // max(1, self.bytes(1))))
        return (range(i, min(i + step, self.iterations)) for i in range(0, self.iterations, step))


class Server:
    def __init__(self, memory=0):
        self.bound = memory  # bytes that the process may take; 0: any
        self.samples = {}  # sample → codec → Prepared, or why it is skipped
        self.kept = 0
        self.stopped = False
        self.requests = {
            "describe": lambda request: description(),
            "prepare": self.prepare,
            "verify": self.verify,
            "cold": self.cold,
            "measure": self.measure,
            "memory": self.memory,
            "empty": self.empty,
            "stop": self.stop,
        }

    def prepare(self, request):
        self.samples, self.kept, skips = {}, 0, []
        for q in request["samples"]:
            forms = {}  # documents, each form read once
            codecs = self.samples[q["sample"]] = {name: prepared(q, name, forms) for name in request["codecs"]}
            skips += [{"sample": q["sample"], "codec": n, "reason": p} for n, p in codecs.items() if isinstance(p, str)]
        return {"skips": skips}

    def find(self, request):
        """The codec that a request names, ready for its sample."""
        sample, name = request["sample"], request["codec"]
        if sample not in self.samples or name not in self.samples[sample]:
            raise LookupError(f"{name} was not prepared for the sample {sample}")
        p = self.samples[sample][name]
        if isinstance(p, str):
            raise Skipped(p)
        operation = request.get("operation", "decode")
        if operation not in CODECS[name]["operations"]:
            raise Skipped(f"{name} has no operation {operation}")
        return p

    def verify(self, request):
        """Decodes every document and writes what the codec encodes again. The checksums are the timed loops' own."""
        p, leaf, visit = self.find(request), [], []
        with open(request["out"], "wb") as out:
            for i, b in enumerate(p.documents):
                try:
                    leaf.append(p.root.run("decode", [[b]])[1] % MODULUS)
                    visit.append(p.root.run("visit", [[b]])[1] % MODULUS)
                    written = p.root.written(p.root.decode(b))
                except Exception as e:
                    if DEPTH.search(f"{type(e).__name__} {e}"):
                        raise Skipped(f"document {i} is nested more deeply than {p.name} goes: {e}") from e
                    raise RuntimeError(f"document {i}: {type(e).__name__}: {e}") from e
                out.write(struct.pack("<I", len(written)) + written)
        return {"leaf": leaf, "visit": visit}

    def measure(self, request):
        turn = [Batch(self.find(q), q) for q in request["turn"]]
        wall, sums, cpu = [0] * len(turn), [0] * len(turn), 0
        before = None
        for group in grouped(turn, self.make_room(turn)):
            self.make_room([b for _, b, _ in group])
            ready = [(i, b.prepared.root, b.operation, self.items(b, part)) for i, b, part in group]
            if before is None:
                if request.get("settle"):
                    gc.collect()
                before = interruptions()
            start = cpu_time()
            for i, root, operation, items in ready:
                ns, total = root.run(operation, items)
                wall[i] += ns
                sums[i] += total
            cpu += cpu_time() - start
        preemptions, collections = (after - b for b, after in zip(before or interruptions(), interruptions()))
        sums = [n % MODULUS for n in sums]
        return {"wall_ns": wall, "checksum": sums, "cpu_ns": cpu, "preemptions": preemptions, "collections": collections}

    def make_room(self, batches):
        """Lets objects go that would be too many beside those that the batches need. Says whether these fit."""
        size = sum(b.size() for b in batches)
        if self.kept + size > KEPT:
            self.kept = 0
            for codecs in self.samples.values():
                for p in codecs.values():
                    if isinstance(p, Prepared):
                        p.forget()
        return size <= KEPT

    def items(self, batch, part):
        """What a batch works on: documents, or for encode the objects that the codec's own decoder made of them."""
        p, documents = batch.prepared, batch.prepared.documents[batch.window]
        if batch.operation != "encode":
            return rounds(documents, batch.iterations)
        if part:
            return [[p.root.decode(documents[i % len(documents)]) for i in part]]
        for i in range(batch.window.start, batch.window.stop):
            if p.objects[i] is MISSING:
                p.objects[i] = p.root.decode(p.documents[i])
                self.kept += len(p.documents[i]) if len(p.documents[i]) <= LARGE else KEPT + 1
        return rounds(p.objects[batch.window], batch.iterations)

    def cold(self, request):
        p, count, ns = self.find(request), request["count"], []
        if not 1 <= count <= MAX_COLD:
            raise ValueError(f"count is {count}; want 1 to {MAX_COLD}")
        for i in range(count):
            one = Batch(p, {**request, "iterations": 1, "document": i % len(p.documents), "window": 1})
            self.make_room([one])
            ns.append(p.root.run(one.operation, self.items(one, one.once() and range(1)))[0])
        return {"ns": ns}

    def memory(self, request):
        self.find(request)
        raise Skipped(MEMORY)

    def fits(self):
        """Fails where the process has taken more than it may. The system could refuse it more instead, but not every
        library bears that, and what they ask for is often more than they use."""
        if self.bound and held() > self.bound:
            raise MemoryError(f"{held() // 10**6} MB were taken")

    def empty(self, request):
        n = request["iterations"]
        if not 1 <= n <= MAX_ITERATIONS:
            raise ValueError(f"{n} iterations")
        return {"wall_ns": empty(rounds([b""] * 16, n))[0]}

    def stop(self, request):
        self.stopped = True
        return {}


def grouped(turn, together):
    """Cuts a turn into what is timed without a pause, in order: lists of (number, batch, part). The objects that encode
    starts from are made before, so that CPU time holds nothing of that: all of them, as far as there is room."""
    group, size = [], 0
    for i, batch in enumerate(turn):
        for part in batch.parts():
            more = batch.bytes(len(part)) if part else 0
            if group and (not together or size + more > PART_BYTES):
                yield group
                group, size = [], 0
            group.append((i, batch, part))
            size += more
    yield group


def held():
    """The most bytes that the process ever held; 0 where the system does not tell."""
    try:
        with open("/proc/self/status") as f:
            return next(int(line.split()[1]) * 1024 for line in f if line.startswith("VmHWM:"))
    except (OSError, StopIteration):
        return 0


def prepared(q, name, forms):
    """A codec on a sample, or why it cannot handle that."""
    if name not in CODECS:
        raise LookupError(f"this runner has no codec {name}")
    form, root = CODECS[name]["documents"], model.root(q["sample"], q.get("root"))
    if not q["files"].get(form):
        return f"there are no documents in the form {form}"
    if form not in forms:
        forms[form] = read_documents(q["files"][form])
    if len(forms[form]) != q["documents"] or not forms[form]:
        raise ValueError(f"{q['files'][form]}: {len(forms[form])} documents; want {q['documents']}")
    try:
        why = load(name).check(root, forms[form])
    except ValueError:
        why = ""  # a broken document: an error of what is asked of it
    return why or Prepared(name, root, forms[form])


def read_documents(path):
    """Reads a documents file: for each, its length as a little-endian 32-bit number and that many bytes."""
    documents = []
    with open(path, "rb") as f:
        left = os.fstat(f.fileno()).st_size
        while left:
            head = f.read(4)
            size = struct.unpack("<I", head)[0] if len(head) == 4 else left
            left -= 4 + size
            if left < 0:
                raise ValueError(f"{path}: it ends within document {len(documents)}")
            documents.append(f.read(size))
    return documents
