// Holds codecs and times them. Speaks wirecost's runner protocol: requests on
// standard input, replies on standard output, one JSON object per line.
import { Console } from 'node:console';

import { control } from './control.mjs';
import { answer } from './harness/answer.mjs';
import { Server } from './harness/server.mjs';
import { platform } from './platform.mjs';

globalThis.console = new Console(process.stderr); // whatever a library says, it is no reply

const maxLine = 16 << 20;

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

const server = new Server(platform);
for await (const line of lines(process.stdin)) {
  const { reply, stop } = await answer(server, line, control);
  process.stdout.write(`${reply}\n`);
  if (stop) break;
}
