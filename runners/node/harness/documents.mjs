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

// mostKept is how much the documents come to whose objects stay for later turns:
// bytes, or UTF-16 units where a codec starts from strings.
const mostKept = 1 << 20;

// Objects bounds what is kept of the objects that encode starts from: those of a
// large sample would take many times its size.
export class Objects {
  #kept = []; // documents that have an object, the oldest first
  #length = 0;

  add(document) {
    this.#kept.push(document);
    this.#length += document.input.length;
  }

  // trim drops the oldest objects, down to the bound.
  trim() {
    while (this.#length > mostKept) {
      const document = this.#kept.shift();
      document.object = undefined;
      this.#length -= document.input.length;
    }
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
