// The JSON Schema of a root, as its author would write it for a serializer.
import { parsed } from './exact.mjs';
import { fields, find } from './find.mjs';
import { fromBytes } from './utf8.mjs';

export function jsonSchema(model, root) {
  const definitions = Object.fromEntries(model.messages.map(m => [m.id, definition(m)]));
  return { $ref: `#/definitions/${model.roots[root].type}`, definitions };
}

function definition(m) {
  switch (m.form) {
    case 'bare': return whole(m.fields[0]);
    case 'union': return { anyOf: [...m.fields.map(whole), { type: 'null' }] };
  }
  return { type: 'object', nullable: true, properties: Object.fromEntries(m.fields.map(f => [f.key, whole(f)])) };
}

function whole(f) {
  switch (f.label) {
    case 'list': return { type: 'array', nullable: true, items: one(f) };
    case 'map': return { type: 'object', nullable: true, additionalProperties: one(f) };
  }
  return one(f);
}

function one(f) {
  switch (f.kind) {
    case 'message': return { $ref: `#/definitions/${f.type}` };
    case 'value': return {};
    case 'null': return { type: 'null' };
  }
  return { type: scalar(f), nullable: true };
}

function scalar(f) {
  if (f.repr) return f.repr === 'number' ? 'number' : 'string';
  switch (f.kind) {
    case 'bool': return 'boolean';
    case 'float': case 'double': return 'number';
    case 'int32': case 'uint32': case 'int64': case 'uint64': return 'integer';
  }
  return 'string'; // also bytes, enums, timestamps, durations
}

// mistyped finds a value in the documents that has another type than the JSON
// Schema says: a number that an enum has no name for, or a number that is not finite.
export function mistyped({ model, parse }, root, documents) {
  const { type } = model.roots[root];
  const enums = fields(model, type).some(f => f.kind === 'enum' && !f.repr);
  for (const bytes of documents) {
    const text = fromBytes(bytes);
    if (!enums && !/"(NaN|-?Infinity)"/.test(text)) continue;
    const document = parsed(parse, text);
    const found = document !== undefined && find(model, type, document, (f, v, path) => {
      if (f.kind === 'value' || f.repr || typeof v === wanted[scalar(f)]) return '';
      return `the value ${v} at ${path} is no ${scalar(f)}`;
    });
    if (found) return found;
  }
  return '';
}

const wanted = { boolean: 'boolean', number: 'number', integer: 'number', string: 'string' };

// inheritedKey finds a key that plain objects inherit: a serializer that looks
// whether the member is undefined finds it in every object.
export function inheritedKey(model, root) {
  const found = fields(model, model.roots[root].type).find(f => f.form === 'object' && f.key in Object.prototype);
  return found?.key ?? '';
}
