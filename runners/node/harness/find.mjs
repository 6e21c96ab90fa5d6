// Looks for a value in a document that JSON.parse made, along the model. Not for timed code.
import { message } from '../visitors.mjs';

// find gives what judge(field, value, path) says of a document's values, as soon
// as it says something; lists, maps and messages are gone through. A value inside
// of a google.protobuf.Value has the field {kind: 'value'}.
export function find(model, type, document, judge, tokenOf = token) {
  const first = (list, look) => {
    for (let i = 0; i < list.length; i++) {
      const found = look(list[i], i);
      if (found) return found;
    }
    return '';
  };
  const field = (f, v, path) => {
    if (v === undefined || v === null) return '';
    switch (f.label) {
      case 'list': return first(v, (e, i) => one(f, e, `${path}[${i}]`));
      case 'map': return first(Object.entries(v), ([k, e]) => one(f, e, `${path}.${k}`));
    }
    return one(f, v, path);
  };
  const one = (f, v, path) => {
    if (f.kind === 'value') return any(v, path);
    return f.kind === 'message' ? object(message(model, f.type), v, path) : judge(f, v, path);
  };
  const object = (m, v, path) => {
    switch (m.form) {
      case 'bare': return field(m.fields[0], v, path);
      case 'union': return first(m.fields.filter(f => f.token === tokenOf(v)), f => field(f, v, path));
    }
    return first(m.fields, f => (Object.hasOwn(v, f.key) ? field(f, v[f.key], `${path}.${f.key}`) : ''));
  };
  const any = (v, path) => {
    if (Array.isArray(v)) return first(v, (e, i) => any(e, `${path}[${i}]`));
    if (typeof v === 'object' && v !== null) return first(Object.entries(v), ([k, e]) => any(e, `${path}.${k}`));
    return judge({ kind: 'value' }, v, path);
  };
  return object(message(model, type), document, '$');
}

// token says what a value starts with in JSON.
export function token(v) {
  if (v === null) return 'null';
  if (Array.isArray(v)) return 'array';
  return typeof v === 'boolean' ? 'bool' : typeof v;
}

// fields are those of the root and of all that it may hold.
export function fields(model, root) {
  const types = new Set([root]);
  for (const type of types) { // those that are added meanwhile as well
    for (const f of message(model, type).fields) if (f.kind === 'message') types.add(f.type);
  }
  return [...types].flatMap(type => message(model, type).fields.map(f => ({ ...f, form: message(model, type).form })));
}
