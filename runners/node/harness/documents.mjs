// Document is one document as one codec sees it: what its decoder starts from,
// and the object that this made of it, once encode needs it.
export class Document {
  constructor(input) {
    this.input = input;
    this.object = undefined;
    this.excess = 0; // bytes of what encode returns, less its length: not 0 where that is a string
    this.sized = false; // whether excess is known
  }
}

// split cuts a documents file: for each document its length as a little-endian
// uint32, then that many bytes. The parts share the file's memory.
export function split(file, count) {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const parts = [];
  let at = 0;
  while (at + 4 <= file.length) {
    const start = at + 4;
    at = start + view.getUint32(at, true);
    if (at > file.length) throw new Error(`document ${parts.length} has ${at - start} bytes, and ${file.length - start} are left`);
    parts.push(file.subarray(start, at));
  }
  if (at !== file.length || parts.length !== count || count === 0) {
    throw new Error(`${parts.length} documents and ${file.length - at} more bytes; want ${count} documents`);
  }
  return parts;
}
