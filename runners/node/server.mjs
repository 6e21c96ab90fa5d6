// Answers the requests of wirecost's runner protocol.
import { closeSync, openSync, readFileSync, writevSync } from 'node:fs';

import { Document, split } from './harness/documents.mjs';
import { clockStep, empty, once, timed } from './harness/operations.mjs';
import { control } from './control.mjs';
import { readCollections, readUsage } from './usage.mjs';

const here = name => readFileSync(new URL(name, import.meta.url));
const description = control.parse(here('description.json').toString());

// Skipped says that something could not be tried.
export class Skipped extends Error {}

const nanoseconds = milliseconds => Math.round(milliseconds * 1e6);

function check(number, least, most, what) {
  if (!Number.isInteger(number) || number < least || number > most) throw new Error(`${what} is ${number}; want ${least} to ${most}`);
  return number;
}

const iterations = request => check(request.iterations, 1, 2 ** 40, 'iterations');

export class Server {
  #samples = new Map();
  #codecs = new Map();
  #empty = empty();
  #schema = {
    model: control.parse(here('schema.json').toString()),
    set: here('set.binpb'),
    parse: control.parse,
  };

  describe() {
    return {
      protocol: 'wirecost.protocol/1',
      runtime: description.runtime,
      version: `${process.version} ${process.platform}/${process.arch}, V8 ${process.versions.v8}`,
      clock_step_ns: clockStep() * 1e6,
      string_unit: 'utf16',
      codecs: description.codecs.map(codec => ({ ...codec, version: version(codec.library) })),
    };
  }

  async prepare({ samples, codecs }) {
    this.#samples.clear();
    const skips = [];
    for (const one of samples) {
      const root = this.#root(one);
      const forms = new Map();
      const prepared = new Map();
      this.#samples.set(one.sample, prepared);
      for (const name of codecs) {
        const p = await this.#prepare(name, one, root, forms);
        prepared.set(name, p);
        if (p.skipped) skips.push({ sample: one.sample, codec: name, reason: p.skipped });
      }
    }
    return { skips };
  }

  #root({ sample, root }) {
    const { roots } = this.#schema.model;
    let i = roots.findIndex(r => r.sample === sample && (!root || r.type === root));
    if (i < 0) i = roots.findIndex(r => r.type === root);
    if (i < 0) throw new Error(`sample "${sample}": this runner was not built for the root "${root}"`);
    return i;
  }

  // #prepare makes a codec ready for a sample; forms keeps the documents that were read.
  async #prepare(name, { documents: count, files }, root, forms) {
    const described = description.codecs.find(c => c.name === name);
    if (!described) throw new Error(`this runner has no codec "${name}"`);
    const file = files[described.documents];
    if (!file) return { skipped: `there are no documents in the form ${described.documents}` };
    if (!forms.has(file)) forms.set(file, read(file, count));
    const documents = forms.get(file);
    const { default: make } = await import(`./codecs/${name}.mjs`);
    try {
      if (!this.#codecs.has(name)) this.#codecs.set(name, make(this.#schema));
      const codec = this.#codecs.get(name);
      const skipped = codec.refuse?.(root, documents);
      return skipped ? { skipped } : new Prepared(described, codec, root, documents);
    } catch (error) {
      return { skipped: `cannot take the schema: ${error.message}` };
    }
  }

  #find({ sample, codec }) {
    const prepared = this.#samples.get(sample);
    if (!prepared) throw new Error(`sample "${sample}" was not prepared`);
    const p = prepared.get(codec);
    if (!p) throw new Error(`codec "${codec}" was not prepared`);
    if (p.skipped) throw new Skipped(p.skipped);
    return p;
  }

  verify(request) {
    const p = this.#find(request);
    const leaf = [], visit = [];
    const file = openSync(request.out, 'w');
    try {
      p.documents.forEach((document, i) => {
        const object = naming(`document ${i}: decode`, () => p.once.decode(document.input));
        leaf.push(p.once.leaf(object));
        visit.push(p.once.visit(object));
        append(file, naming(`document ${i}: encode`, () => p.once.encode(object)));
      });
    } finally {
      closeSync(file);
    }
    return p.has('visit') ? { leaf, visit } : { leaf };
  }

  cold(request) {
    const p = this.#find(request);
    const loop = p.loop(request.operation);
    const ns = new Array(check(request.count, 1, 1 << 20, 'count'));
    for (let i = 0; i < ns.length; i++) {
      const one = [p.documents[i % p.documents.length]];
      if (request.operation === 'encode') p.decode(one);
      ns[i] = nanoseconds(loop(one, 1).wall);
    }
    return { ns };
  }

  async measure({ turn, settle }) {
    const batches = turn.map((request, i) => naming(`batch ${i}`, () => this.#batch(request)));
    if (settle) globalThis.gc();
    const results = new Array(batches.length);
    const collections = await readCollections();
    const before = readUsage();
    for (let i = 0; i < batches.length; i++) {
      const { loop, documents, iterations } = batches[i];
      results[i] = loop(documents, iterations);
    }
    const after = readUsage();
    return {
      wall_ns: results.map(r => nanoseconds(r.wall)),
      checksum: results.map(r => r.sum),
      cpu_ns: after.cpu - before.cpu,
      preemptions: after.preemptions - before.preemptions,
      collections: await readCollections() - collections,
    };
  }

  // #batch makes everything that a batch needs, so that the turn holds nothing of that.
  #batch(request) {
    const p = this.#find(request);
    const first = check(request.document, 0, p.documents.length - 1, 'document');
    const window = check(request.window, 1, p.documents.length - first, 'window');
    const documents = p.documents.slice(first, first + window);
    const loop = p.loop(request.operation);
    if (request.operation === 'encode') p.readyToEncode(documents);
    return { loop, documents, iterations: iterations(request) };
  }

  memory() {
    throw new Skipped('V8 does not count allocations');
  }

  empty(request) {
    const documents = Array.from({ length: 16 }, () => new Document());
    return { wall_ns: nanoseconds(this.#empty(documents, iterations(request)).wall) };
  }

  stop() {
    return {};
  }
}

// Prepared is a codec that is ready for a sample.
class Prepared {
  #loops = new Map();

  constructor(described, codec, root, documents) {
    this.described = described;
    this.codec = codec;
    this.scope = codec.root(root);
    this.label = `${described.name}/${root}`;
    this.once = once(codec, this.scope, this.label);
    this.documents = documents.map(bytes => new Document(codec.input ? codec.input(bytes) : bytes));
  }

  has(operation) {
    return this.described.operations.includes(operation);
  }

  loop(operation) {
    if (!this.has(operation)) throw new Skipped(`${this.described.name} has no operation ${operation}`);
    if (!this.#loops.has(operation)) this.#loops.set(operation, timed(operation, this.codec, this.scope, this.label));
    return this.#loops.get(operation);
  }

  // decode makes the objects that encode starts from.
  decode(documents) {
    for (const document of documents) document.object ??= this.once.decode(document.input);
  }

  // readyToEncode also finds out, where encode returns a string, how many bytes
  // there are more than its length says: checksums count bytes.
  readyToEncode(documents) {
    this.decode(documents);
    for (const document of documents) {
      if (document.sized) continue;
      const out = this.once.encode(document.object);
      if (typeof out === 'string') document.excess = Buffer.byteLength(out) - out.length;
      document.sized = true;
    }
  }
}

// naming says in an error what went wrong.
function naming(what, step) {
  try {
    return step();
  } catch (error) {
    error.message = `${what}: ${error.message}`;
    throw error;
  }
}

// append writes a document behind its length.
function append(file, out) {
  const bytes = typeof out === 'string' ? Buffer.from(out) : out;
  const head = Buffer.alloc(4);
  head.writeUInt32LE(bytes.length);
  writevSync(file, [head, bytes]);
}

const read = (file, count) => naming(file, () => split(readFileSync(file), count));

// version is that of a package, or of the engine for what comes with it.
function version(library) {
  if (library === 'JSON') return `V8 ${process.versions.v8}`;
  return control.parse(here(`node_modules/${library}/package.json`).toString()).version;
}
