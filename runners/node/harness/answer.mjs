// Turns lines of wirecost's runner protocol into calls of a server's methods.
import { Skipped } from './server.mjs';

const requests = new Set(['describe', 'prepare', 'verify', 'cold', 'measure', 'memory', 'empty', 'serve', 'usage', 'call', 'stop']);

// answer gives the reply to one request, as a line without its end, and whether
// it was the last. An error is one of that request only. control is a JSON that is
// not under test.
export async function answer(server, line, control) {
  let id = 0;
  try {
    const request = control.parse(line);
    ({ id } = request);
    const name = request.request;
    if (!requests.has(name) || !server[name]) throw new Error(`unknown request "${name}"`);
    const reply = await server[name](request);
    return { stop: name === 'stop', reply: control.stringify({ ...reply, id }) };
  } catch (error) {
    const message = String(error?.message ?? error) || 'failed without a word';
    return { stop: false, reply: control.stringify(error instanceof Skipped ? { skipped: message, id } : { error: message, id }) };
  }
}
