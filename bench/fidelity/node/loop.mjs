// The runner's program, which answers benchmark requests besides: codecs are then
// measured by tinybench as well, in the same process, since how V8 has compiled a
// library and how its heap has grown differ from process to process. A benchmark
// request is the word, and fields separated by tabs: sample, codec, operation,
// warm-up iterations, iterations. The answer is the nanoseconds of all iterations,
// or "error" and what went wrong.
import { Console } from 'node:console';
import { createInterface } from 'node:readline';
import { setImmediate as immediate } from 'node:timers/promises';

import { Bench } from './node_modules/tinybench/dist/index.js';

import { control } from './control.mjs';
import { answer } from './harness/answer.mjs';
import { Server } from './harness/server.mjs';
import { platform } from './platform.mjs';

globalThis.console = new Console(process.stderr);

// What tinybench takes the time of is some rounds over all documents: a reading of
// the clock is as long as a small operation.
const CALLS = 20;

const repeats = new Map(); // by case

// repeat gives what tinybench calls. It goes round the documents by the runner's inner
// loop: V8 compiles equal texts, in one process, now well and now badly. Its own text is
// unique, so that V8 sees one call with one target there.
function repeat(prepared, operation, key) {
  if (!repeats.has(key)) {
    const text = `let sum = 0;
    return times => {
      for (let i = 0; i < times; i++) sum = sum + some(documents, 0, documents.length) | 0;
    }; // ${repeats.size}`;
    repeats.set(key, new Function('some', 'documents', text)(prepared.loop(operation).some, prepared.documents));
  }
  return repeats.get(key);
}

async function benchmark([sample, name, operation, warm, iterations]) {
  const prepared = server.find({ sample, codec: name });
  const { documents } = prepared;
  if (operation === 'encode') prepared.readyToEncode(documents);
  const run = repeat(prepared, operation, [sample, name, operation].join());
  const rounds = iterations / documents.length, calls = Math.min(rounds, CALLS), each = Math.floor(rounds / calls);
  await settle();
  run(warm / documents.length);
  const bench = new Bench({ time: 0, iterations: calls, warmup: false, throws: true }).add(name, () => run(each), { async: false });
  const { result } = bench.runSync()[0];
  if (result.latency.samplesCount !== calls) throw new Error(`the benchmark made ${result.latency.samplesCount} calls instead of ${calls}`);
  return String(Math.round(result.totalTime * 1e6 / (calls * each) * rounds));
}

// settle is what the runner does before a batch. The event loop turns before and after:
// what a collection leaves to do would otherwise be done beside the benchmark.
async function settle() {
  await immediate();
  platform.settle();
  await platform.meter();
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
