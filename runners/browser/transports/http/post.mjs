// post encodes documents and sends them.
import { Skipped } from '../../harness/server.mjs';
import { toBytes } from '../../harness/utf8.mjs';
import { address, ask, expected, mediaType, serverTiming } from './contract.mjs';

const longestAnswer = 1000; // bytes

export function post(request, coding, p, documents) {
  const compresses = coding !== 'identity';
  if (compresses && coding !== 'gzip') throw new Skipped(`browsers do not compress by ${coding} for pages`);
  if (compresses && !globalThis.CompressionStream) throw new Skipped('this browser does not compress for pages');
  p.readyToEncode(documents);
  const headers = { 'Content-Type': mediaType(p.described.format), ...(compresses && { 'Content-Encoding': coding }) };
  const url = address(request).slice(0, -1);
  const spans = compresses ? ['decompress', 'decode'] : ['decode'];
  return async document => {
    const { object, excess } = documents[document];
    const start = performance.now();
    const encoding = performance.now();
    const out = p.once.encode(object);
    const encoded = performance.now();
    const body = compresses ? await compressed(out) : out;
    const sending = performance.now();
    const response = await ask(url, { method: 'POST', headers, body }, longestAnswer);
    const answer = await response.text();
    const answered = performance.now();
    const total = performance.now() - start;
    expected(response, 'text/plain', 'identity');
    const { decompress = 0, decode } = serverTiming(response, spans);
    return {
      sum: leaf(response, answer), bytes: compresses ? body.length : out.length + excess, total_ns: total,
      encode_ns: encoded - encoding, compress_ns: compresses ? sending - encoded : 0,
      transfer_ns: answered - sending - decompress - decode, decompress_ns: decompress, decode_ns: decode,
    };
  };
}

// compressed gives bytes, or a string as UTF-8, under gzip at the browser's level.
async function compressed(data) {
  const stream = new CompressionStream('gzip');
  const writer = stream.writable.getWriter();
  const written = Promise.all([writer.write(typeof data === 'string' ? toBytes(data) : data), writer.close()]);
  const bytes = new Uint8Array(await new Response(stream.readable).arrayBuffer());
  await written;
  return bytes;
}

function leaf(response, answer) {
  if (!/^\d{1,10}$/.test(answer)) throw new Error(`${response.url}: the server answered "${answer.slice(0, 80)}"; want a checksum`);
  return Number(answer) | 0;
}
