// get fetches documents and decodes them.
import { Skipped } from '../../harness/server.mjs';
import { address, announced, ask, expected, limit, mediaType, refuseLong, serverTiming } from './contract.mjs';

export function get(request, coding, p) {
  const base = `${address(request)}${coding}/`;
  if (['br', 'zstd'].includes(coding) && !isSecure(base)) throw new Skipped(`browsers take ${coding} over https only, except from this computer`);
  const most = limit(p);
  const type = mediaType(p.described.format);
  const spans = coding === 'identity' ? ['encode'] : ['encode', 'compress'];
  return async document => {
    const start = performance.now();
    const sending = performance.now();
    const response = await ask(`${base}${request.document + document}`, { method: 'GET' }, most);
    const body = p.codec.input ? await response.text() : new Uint8Array(await response.arrayBuffer());
    const decoding = performance.now();
    let sum;
    try {
      sum = p.once.leaf(p.once.decode(body));
    } catch (error) {
      expected(response, type, coding); // which would explain it
      throw error;
    }
    const decoded = performance.now();
    const total = performance.now() - start;
    expected(response, type, coding);
    refuseLong(response, body.length, most);
    const { encode, compress = 0 } = serverTiming(response, spans);
    const transfer = decoding - sending - encode - compress;
    return { sum, bytes: announced(response), total_ns: total, encode_ns: encode, compress_ns: compress, transfer_ns: transfer, decode_ns: decoded - decoding };
  };
}

const isSecure = url => /^(https:|http:\/\/(localhost|127\.\d+\.\d+\.\d+|\[::1\])[:/])/.test(url);
