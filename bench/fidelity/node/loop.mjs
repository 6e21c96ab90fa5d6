// Measures codecs by mitata: node --expose-gc loop.mjs BUILD. It reads a request per
// line, fields separated by tabs (codec, operation, root, file, warm-up iterations,
// iterations), and answers with the nanoseconds of all iterations, or with "error"
// and what went wrong.
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

const build = name => new URL(name, pathToFileURL(`${process.argv[2]}/`));
const { measure } = await import(build('node_modules/mitata/src/main.mjs'));
const { split } = await import(build('harness/documents.mjs'));
const { once } = await import(build('harness/operations.mjs'));

const schema = { model: JSON.parse(readFileSync(build('schema.json'))), set: readFileSync(build('set.binpb')), parse: JSON.parse };

// kept remembers what make gives for a key.
const kept = (map, key, make) => map.get(key) ?? map.set(key, make()).get(key);
const codecs = new Map(), prepared = new Map();

// prepare reads documents, and makes the objects that encode starts from, as the runner does.
function prepare(codec, name, root, file) {
  const bytes = readFileSync(file);
  const scope = codec.root(root);
  const { decode } = once(codec, scope, `${name}/${root}/mitata`);
  const documents = split(bytes, count(bytes)).map(part => {
    const input = codec.input ? codec.input(part) : part;
    return { input, object: decode(input) };
  });
  return { documents, encode: round(codec, 'encode', scope, documents), decode: round(codec, 'decode', scope, documents) };
}

// count is how many documents a file holds.
function count(bytes) {
  let n = 0;
  for (let at = 0; at < bytes.length; at += 4 + bytes.readUInt32LE(at)) n++;
  return n;
}

// round makes what mitata calls: a function that goes once over all documents. It
// has the codec's own text inside, as one that is written by hand.
function round(codec, operation, scope, documents) {
  const step = operation === 'encode' ? `(${codec.encode}).length` : `leaf(${codec.decode})`;
  return new Function('documents', ...Object.keys(scope), `return () => {
    let sum = 0;
    for (let i = 0; i < documents.length; i++) {
      const { input, object } = documents[i];
      sum += ${step};
    }
    return sum;
  }; // ${serial++}`)(documents, ...Object.values(scope));
}

let serial = 0; // equal texts would share what V8 learns of them

async function answer([name, operation, root, file, warm, iterations]) {
  const { default: make } = await import(build(`codecs/${name}.mjs`));
  const codec = kept(codecs, name, () => make(schema));
  const { documents, [operation]: run } = kept(prepared, `${name}\t${file}`, () => prepare(codec, name, Number(root), file));
  for (let i = 0; i < Number(warm); i += documents.length) run();
  const rounds = Number(iterations) / documents.length;
  // One sample that holds all rounds, with whatever is collected in between.
  const result = await measure(run, {
    min_samples: 1, max_samples: 1, min_cpu_time: 0, samples_threshold: Infinity, warmup_threshold: Infinity,
    batch_threshold: Infinity, batch_samples: rounds, batch_unroll: 1,
  });
  if (result.ticks !== rounds) throw new Error(`the benchmark made ${result.ticks} rounds instead of ${rounds}`);
  return Math.round(result.avg * rounds);
}

for await (const line of createInterface({ input: process.stdin })) {
  try {
    console.log(await answer(line.split('\t')));
  } catch (error) {
    console.log(`error\t${String(error.message).replaceAll('\n', ' ')}`);
  }
}
