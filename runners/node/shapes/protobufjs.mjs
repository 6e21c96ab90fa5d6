// The shape of protobufjs's messages: members by the fields' names, defaults on
// the prototype, 64-bit integers as objects of the package long.
import { float, isLong } from '../visitors.mjs';

const special = new Set(['message', 'value', 'timestamp', 'duration']);

export const protobufjs = {
  member: (m, f, o) => `${o}.${f.id}`,
  isSet(m, f, o, x) {
    if (f.label === 'list') return `${x}.length !== 0`;
    if (f.presence || m.form === 'union' || special.has(f.kind)) return `${x} != null && Object.hasOwn(${o}, '${f.id}')`;
    switch (f.kind) {
      case 'bool': return x;
      case 'string': case 'bytes': return `${x}.length !== 0`;
    }
    return isLong(f) ? `(${x}.low | ${x}.high) !== 0` : `${x} !== 0`;
  },
  sum(f, x) {
    switch (f.kind) {
      case 'bool': return `(${x} ? 2 : 1)`;
      case 'string': return `(${x}.length + 1)`;
      case 'float': case 'double': return `float(${x})`;
      case 'int32': case 'uint32': return `((${x} | 0) + 1)`;
      case 'int64': case 'uint64': return `(${x}.low + 1)`;
      case 'value': return `any(${x})`;
    }
    return '1';
  },
  helpers: { float, any },
};

// any is what a google.protobuf.Value adds.
function any(v) {
  if (Object.hasOwn(v, 'stringValue')) return v.stringValue.length + 1;
  if (Object.hasOwn(v, 'numberValue')) return float(v.numberValue);
  if (Object.hasOwn(v, 'boolValue')) return v.boolValue ? 2 : 1;
  let sum = 1;
  if (Object.hasOwn(v, 'listValue')) {
    for (const e of v.listValue.values) sum = sum + any(e) | 0;
  } else if (Object.hasOwn(v, 'structValue')) {
    const fields = v.structValue.fields;
    for (const k in fields) sum = sum + k.length + 1 + any(fields[k]) | 0;
  }
  return sum;
}
