// The runner's program, which answers benchmark requests besides: codecs are then
// measured by mitata as well, in the same process, since how V8 has compiled a
// library and how its heap has grown differ from process to process. A benchmark
// request is the word, and fields separated by tabs: sample, codec, operation,
// warm-up iterations, iterations. The answer is the nanoseconds of all iterations,
// or "error" and what went wrong.
import { Console } from 'node:console';
import { createInterface } from 'node:readline';

import { measure } from './node_modules/mitata/src/main.mjs';

import { control } from './control.mjs';
import { answer } from './harness/answer.mjs';
import { Server } from './harness/server.mjs';
import { platform } from './platform.mjs';

globalThis.console = new Console(process.stderr);

let serial = 0; // equal texts would share what V8 learns of them

// round makes what mitata calls: a function that goes once over all documents. It
// has the codec's own text inside, as one that is written by hand.
function round({ codec, scope, documents }, operation) {
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

const rounds = new Map();

async function benchmark([sample, name, operation, warm, iterations]) {
  const prepared = server.find({ sample, codec: name });
  const { documents } = prepared;
  if (operation === 'encode') prepared.readyToEncode(documents);
  const key = [sample, name, operation].join('\t');
  if (!rounds.has(key)) rounds.set(key, round(prepared, operation));
  const run = rounds.get(key);
  for (let i = 0; i < Number(warm); i += documents.length) run();
  const times = Number(iterations) / documents.length;
  // One sample that holds all rounds, with whatever is collected in between.
  const result = await measure(run, {
    min_samples: 1, max_samples: 1, min_cpu_time: 0, samples_threshold: Infinity, warmup_threshold: Infinity,
    batch_threshold: Infinity, batch_samples: times, batch_unroll: 1,
  });
  if (result.ticks !== times) throw new Error(`the benchmark made ${result.ticks} rounds instead of ${times}`);
  return String(Math.round(result.avg * times));
}

async function reply(line) {
  const [word, ...fields] = line.split('\t');
  if (word !== 'benchmark') return answer(server, line, control);
  try {
    return { reply: await benchmark(fields) };
  } catch (error) {
    return { reply: `error\t${String(error.message).replaceAll('\n', ' ')}` };
  }
}

const server = new Server(platform);
for await (const line of createInterface({ input: process.stdin })) {
  const { reply: text, stop } = await reply(line);
  process.stdout.write(`${text}\n`);
  if (stop) break;
}
