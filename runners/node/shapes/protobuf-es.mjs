// The shape of @bufbuild/protobuf's messages: plain objects with camel-case
// names, oneofs as {case, value}, 64-bit integers as bigint.
import { float, isLong } from '../visitors.mjs';

// protobufES takes a function that gives a field's descriptor.
export function protobufES(descriptor) {
  return {
    member(m, f, o) {
      const { localName, oneof } = descriptor(m, f);
      if (!oneof) return `${o}.${localName}`;
      return `(${o}.${oneof.localName}.case === '${localName}' ? ${o}.${oneof.localName}.value : undefined)`;
    },
    isSet(m, f, o, x) {
      const { localName, oneof, message } = descriptor(m, f);
      if (f.label === 'list') return `${x}.length !== 0`;
      if (oneof) return `${x} !== undefined`;
      if (f.presence || message) return `${x} !== undefined && Object.hasOwn(${o}, '${localName}')`;
      switch (f.kind) {
        case 'bool': return x;
        case 'string': case 'bytes': return `${x}.length !== 0`;
      }
      return isLong(f) ? `${x} !== 0n` : `${x} !== 0`;
    },
    sum(f, x) {
      switch (f.kind) {
        case 'bool': return `(${x} ? 2 : 1)`;
        case 'string': return `(${x}.length + 1)`;
        case 'float': case 'double': return `float(${x})`;
        case 'int32': case 'uint32': return `((${x} | 0) + 1)`;
        case 'int64': case 'uint64': return `(Number(BigInt.asIntN(32, ${x})) + 1)`;
        case 'value': return `any(${x})`;
      }
      return '1';
    },
    helpers: { float, any },
  };
}

// any is what a google.protobuf.Value adds.
function any({ kind }) {
  switch (kind.case) {
    case 'stringValue': return kind.value.length + 1;
    case 'numberValue': return float(kind.value);
    case 'boolValue': return kind.value ? 2 : 1;
  }
  let sum = 1;
  if (kind.case === 'listValue') {
    for (const e of kind.value.values) sum = sum + any(e) | 0;
  } else if (kind.case === 'structValue') {
    const { fields } = kind.value;
    for (const k in fields) sum = sum + k.length + 1 + any(fields[k]) | 0;
  }
  return sum;
}
