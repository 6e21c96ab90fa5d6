// Answers the requests of wirecost's runner protocol, on any platform that
// JavaScript runs on. What differs between platforms is handed in:
//
//   description       the codecs, and the transports if there are any
//   schema            {model, set, parse} for the codecs
//   about()           what "describe" says of the platform: {version}
//   version(library)  of a library
//   load(name)        a codec's module
//   read(place)       the bytes of a documents file
//   write(place, …)   writes a documents file of bytes that come one by one
//   settle()          brings the heap to rest, where that can be had
//   meter()           starts to count what the process uses; gives a function
//                     that tells what was used since
// All but schema and description may be asynchronous.
import { Document, Objects, split } from './documents.mjs';
import { clockStep, empty, once, timed } from './operations.mjs';
import { toBytes } from './utf8.mjs';

// Skipped says that something could not be tried.
export class Skipped extends Error {}

const nanoseconds = milliseconds => Math.round(milliseconds * 1e6);

// check gives a whole number of a request, if it is within its bounds.
export function check(number, least, most, what) {
  if (!Number.isInteger(number) || number < least || number > most) throw new Error(`${what} is ${number}; want ${least} to ${most}`);
  return number;
}

const iterations = request => check(request.iterations, 1, 2 ** 40, 'iterations');

export class Server {
  #platform;
  #samples = new Map();
  #codecs = new Map();
  #empty = empty();
  #objects = new Objects();

  constructor(platform) {
    this.#platform = platform;
  }

  async describe() {
    const { codecs, ...rest } = this.#platform.description;
    return {
      protocol: 'wirecost.protocol/1',
      ...rest,
      ...await this.#platform.about(),
      clock_step_ns: nanoseconds(clockStep()),
      string_unit: 'utf16',
      codecs: await Promise.all(codecs.map(async codec => ({ ...codec, version: await this.#platform.version(codec.library) }))),
    };
  }

  async prepare({ samples, codecs }) {
    this.#samples.clear();
    this.#objects = new Objects();
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
    const { roots } = this.#platform.schema.model;
    let i = roots.findIndex(r => r.sample === sample && (!root || r.type === root));
    if (i < 0) i = roots.findIndex(r => r.type === root);
    if (i < 0) throw new Error(`sample "${sample}": this runner was not built for the root "${root}"`);
    return i;
  }

  // #prepare makes a codec ready for a sample; forms keeps the documents that were read.
  async #prepare(name, { documents: count, files }, root, forms) {
    const { description, schema, load } = this.#platform;
    const described = description.codecs.find(c => c.name === name);
    if (!described) throw new Error(`this runner has no codec "${name}"`);
    const file = files[described.documents];
    if (!file) return { skipped: `there are no documents in the form ${described.documents}` };
    if (!forms.has(file)) forms.set(file, await this.#read(file, count));
    const documents = forms.get(file);
    const { default: make } = await load(name);
    try {
      if (!this.#codecs.has(name)) this.#codecs.set(name, await make(schema));
      const codec = this.#codecs.get(name);
      const skipped = codec.refuse?.(root, documents);
      return skipped ? { skipped } : new Prepared(described, codec, root, documents, this.#objects);
    } catch (error) {
      return { skipped: `cannot take the schema: ${error.message}` };
    }
  }

  async #read(file, count) {
    const bytes = await this.#platform.read(file);
    return naming(file, () => split(bytes, count));
  }

  // find gives the codec that a request names, prepared for the sample that it names.
  find({ sample, codec }) {
    const prepared = this.#samples.get(sample);
    if (!prepared) throw new Error(`sample "${sample}" was not prepared`);
    const p = prepared.get(codec);
    if (!p) throw new Error(`codec "${codec}" was not prepared`);
    if (p.skipped) throw new Skipped(p.skipped);
    return p;
  }

  async verify(request) {
    const p = this.find(request);
    const leaf = [], visit = [];
    await this.#platform.write(request.out, roundTrips(p, leaf, visit));
    return p.has('visit') ? { leaf, visit } : { leaf };
  }

  cold(request) {
    const p = this.find(request);
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
    this.#objects.trim();
    const batches = turn.map((request, i) => naming(`batch ${i}`, () => this.#batch(request)));
    if (settle) this.#platform.settle();
    const results = new Array(batches.length);
    const used = await this.#platform.meter();
    for (let i = 0; i < batches.length; i++) {
      const { loop, documents, iterations } = batches[i];
      results[i] = loop(documents, iterations);
    }
    const usage = await used();
    return { wall_ns: results.map(r => nanoseconds(r.wall)), checksum: results.map(r => r.sum), ...usage };
  }

  // #batch makes everything that a batch needs, so that the turn holds nothing of that.
  #batch(request) {
    const p = this.find(request);
    const documents = p.window(request);
    const loop = p.loop(request.operation);
    if (request.operation === 'encode') p.readyToEncode(documents);
    return { loop, documents, iterations: iterations(request) };
  }

  memory() {
    throw new Skipped('JavaScript engines do not count allocations');
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
  #objects;

  constructor(described, codec, root, documents, objects) {
    this.#objects = objects;
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

  // window gives the documents that a request uses in turn.
  window(request) {
    const first = check(request.document, 0, this.documents.length - 1, 'document');
    return this.documents.slice(first, first + check(request.window, 1, this.documents.length - first, 'window'));
  }

  // decode makes the objects that encode starts from.
  decode(documents) {
    for (const document of documents) {
      if (document.object !== undefined) continue;
      document.object = this.once.decode(document.input);
      this.#objects.add(document);
    }
  }

  // readyToEncode also finds out, where encode returns a string, how many bytes
  // there are more than its length says: checksums count bytes.
  readyToEncode(documents) {
    this.decode(documents);
    for (const document of documents) {
      if (document.sized) continue;
      const out = this.once.encode(document.object);
      if (typeof out === 'string') document.excess = toBytes(out).length - out.length;
      document.sized = true;
    }
  }
}

// roundTrips decodes each document and gives it encoded again, as bytes; the
// checksums are added to leaf and visit.
function* roundTrips(p, leaf, visit) {
  for (const [i, document] of p.documents.entries()) {
    const object = naming(`document ${i}: decode`, () => p.once.decode(document.input));
    leaf.push(p.once.leaf(object));
    visit.push(p.once.visit(object));
    const out = naming(`document ${i}: encode`, () => p.once.encode(object));
    yield typeof out === 'string' ? toBytes(out) : out;
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

// head is the length of a document as it stands before it in a file.
export function head(document) {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, document.length, true);
  return bytes;
}
