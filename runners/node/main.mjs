// Holds codecs and times them. Speaks wirecost's runner protocol: requests on
// standard input, replies on standard output, one JSON object per line.
import { Console } from 'node:console';

import { control } from './control.mjs';
import { Server, Skipped } from './server.mjs';

globalThis.console = new Console(process.stderr); // whatever a library says, it is no reply

const maxLine = 16 << 20;
const requests = new Set(['describe', 'prepare', 'verify', 'cold', 'measure', 'memory', 'empty', 'stop']);

// lines gives the lines of a stream, as they come.
async function* lines(stream) {
  let parts = [], length = 0;
  const add = part => {
    parts.push(part);
    length += part.length;
    if (length > maxLine) throw new Error('a request has more than 16 MB');
  };
  for await (let chunk of stream) {
    for (let end; (end = chunk.indexOf(0x0a)) >= 0; chunk = chunk.subarray(end + 1)) {
      add(chunk.subarray(0, end));
      yield Buffer.concat(parts).toString();
      parts = [];
      length = 0;
    }
    add(chunk);
  }
}

// answer gives the reply to one request. An error is one of that request only.
async function answer(server, line) {
  let id = 0;
  try {
    const request = control.parse(line);
    ({ id } = request);
    if (!requests.has(request.request)) throw new Error(`unknown request "${request.request}"`);
    const reply = await server[request.request](request);
    return { stop: request.request === 'stop', reply: { ...reply, id } };
  } catch (error) {
    const message = String(error?.message ?? error);
    return { reply: error instanceof Skipped ? { skipped: message, id } : { error: message, id } };
  }
}

const server = new Server();
for await (const line of lines(process.stdin)) {
  const { reply, stop } = await answer(server, line);
  process.stdout.write(`${control.stringify(reply)}\n`);
  if (stop) break;
}
