// The shape of documents that JSON.parse makes: plain objects, read by the
// document's own keys.
import { float, isLong } from '../visitors.mjs';

export function plain(model) {
  return {
    member(m, f, o) {
      if (m.form === 'union' && f.label === 'map') return `(${isToken('object', o)} ? ${o} : undefined)`;
      if (m.form !== 'object') return o;
      const key = JSON.stringify(f.key);
      const inherited = f.key in Object.prototype; // "constructor" is there in every object
      return inherited ? `(Object.hasOwn(${o}, ${key}) ? ${o}[${key}] : undefined)` : `${o}[${key}]`;
    },
    isSet(m, f, o, x) {
      if (m.form === 'union') return isToken(f.token, x);
      if (f.label === 'list') return `${x} != null && ${x}.length !== 0`;
      if (f.nil) return f.presence ? `${x} !== undefined` : 'false';
      return f.presence ? `${x} != null` : `${x} != null && ${differs(model, f, x)}`;
    },
    sum,
    helpers: { float, whole, any },
  };
}

function isToken(token, x) {
  switch (token) {
    case 'null': return `${x} === null`;
    case 'array': return `Array.isArray(${x})`;
    case 'object': return `typeof ${x} === 'object' && ${x} !== null && !Array.isArray(${x})`;
    case 'bool': return `typeof ${x} === 'boolean'`;
  }
  return `typeof ${x} === '${token}'`;
}

// differs is a condition: a value is not its field's default.
function differs(model, f, x) {
  switch (f.kind) {
    case 'bool': return x;
    case 'string': return f.repr ? 'true' : `${x} !== ''`;
    case 'bytes': return `${x} !== ''`;
    case 'null': return 'false';
    case 'enum': return [...zeros(model, f), 0].map(zero => `${x} !== ${JSON.stringify(zero)}`).join(' && ');
  }
  return f.repr ? `+${x} !== 0` : `${x} !== 0`;
}

// zeros are the ways to write an enum's value 0 as a string.
function zeros(model, f) {
  if (f.repr) return ['0'];
  return model.enums.find(e => e.id === f.type).values.filter(v => v.number === 0).map(v => v.key);
}

function sum(f, x) {
  switch (f.kind) {
    case 'bool': return `(${x} ? 2 : 1)`;
    case 'string': return f.repr ? `(String(${x}).length + 1)` : `(${x}.length + 1)`;
    case 'float': case 'double': return `float(${f.repr ? '+' : ''}${x})`;
    case 'int32': case 'uint32': return `((${x} | 0) + 1)`;
    case 'value': return `any(${x})`;
  }
  if (isLong(f)) return f.repr ? `(whole(${x}) + 1)` : `((${x} | 0) + 1)`;
  return '1';
}

// whole is the low half of an integer in a string.
const whole = text => (text.length < 16 ? text | 0 : Number(BigInt.asIntN(32, BigInt(text))));

// any is what any JSON value adds.
function any(v) {
  switch (typeof v) {
    case 'string': return v.length + 1;
    case 'number': return float(v);
    case 'boolean': return v ? 2 : 1;
  }
  let sum = 1;
  if (Array.isArray(v)) {
    for (const e of v) sum = sum + any(e) | 0;
  } else {
    for (const k in v) sum = sum + k.length + 1 + any(v[k]) | 0; // null has no members
  }
  return sum;
}
