// What servers promise (docs/protocol.md, "Servers"), as far as a page sees it.

const options = { cache: 'no-store', credentials: 'omit', redirect: 'error', referrerPolicy: 'no-referrer' };

// address is the start of the addresses for a sample in the server's codec.
export function address({ address: server, sample, peer }) {
  return `${server}/${encodeURIComponent(sample)}/${encodeURIComponent(peer)}/`;
}

export const mediaType = format => (format === 'json' ? 'application/json' : 'application/x-protobuf');

// ask sends a request, and gives the response if the server was content with it.
export async function ask(url, more, most) {
  let response;
  try {
    response = await fetch(url, { ...options, ...more });
  } catch (error) {
    throw new Error(`${more.method} ${url}: ${error.message}; does the server still run?`);
  }
  if (response.status !== 200) {
    const sentence = (await response.text()).trim().slice(0, 300);
    throw new Error(`${more.method} ${url}: the server answered ${response.status}: ${sentence || response.statusText}`);
  }
  refuseLong(response, announced(response), most);
  return response;
}

// announced is how many bytes a body has on the wire, in the server's words.
export const announced = response => Number(response.headers.get('Content-Length') ?? NaN);

// limit is how long a body may be, decompressed, judged by the documents.
export const limit = p => 16 * Math.max(...p.documents.map(d => d.input.length)) + (16 << 20);

export function refuseLong(response, length, most) {
  if (length > most) throw new Error(`${response.url}: the server sent ${length} bytes; want at most ${most}`);
}

// expected checks that a response holds what was asked for.
export function expected(response, type, coding) {
  const came = response.headers.get('Content-Type') ?? '';
  if (came.split(';')[0].trim().toLowerCase() !== type) throw new Error(`${response.url}: the server sent "${came}"; want ${type}`);
  const under = response.headers.get('Content-Encoding') || 'identity';
  if (under !== coding) throw new Error(`${response.url}: the server sent the content coding "${under}"; want ${coding}`);
}

// serverTiming reads the spans that a server tells of its own work, in
// milliseconds; those named must be among them.
export function serverTiming(response, wanted) {
  const spans = {};
  for (const part of (response.headers.get('Server-Timing') ?? '').slice(0, 10_000).split(',')) {
    const [name, ...parameters] = part.split(';').map(text => text.trim());
    const duration = Number(parameters.find(text => text.startsWith('dur='))?.slice(4));
    if (duration >= 0 && duration < Infinity) spans[name] = duration;
  }
  for (const name of wanted) {
    if (!(name in spans)) throw new Error(`${response.url}: the server does not tell how long "${name}" took (Server-Timing)`);
  }
  return spans;
}
