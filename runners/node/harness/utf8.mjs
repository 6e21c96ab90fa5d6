// Between bytes and strings, as a program on this platform does it: by Buffer
// in a server, by TextDecoder and TextEncoder in a page.
const { Buffer } = globalThis;

export const fromBytes = Buffer
  ? bytes => bytes.toString()
  : (decoder => bytes => decoder.decode(bytes))(new TextDecoder('utf-8', { ignoreBOM: true }));

export const toBytes = Buffer
  ? string => Buffer.from(string)
  : (encoder => string => encoder.encode(string))(new TextEncoder());
