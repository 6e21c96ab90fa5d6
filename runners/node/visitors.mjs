// Functions that touch every value of a document and add up the checksums of
// docs/protocol.md. They are generated: one function per message with plain
// member access, as a program has it for its own types.
//
// A shape says how documents are held, in source text:
//   member(m, f, o)    the value of the field f of the message m in the variable o
//   isSet(m, f, o, x)  a condition: that value, now in x, is set (f is no map)
//   sum(f, x)          what one value adds; x is no message
//   helpers            functions that this text calls, by name

// visitors gives {visit, leaf} for each of the model's roots.
export function visitors(model, shape) {
  const source = [
    ...model.messages.map(m => visitor(m, shape)),
    ...model.roots.map((root, i) => leaf(model, root, i, shape)),
  ];
  const roots = model.roots.map((root, i) => `{ visit: visit_${root.type}, leaf: leaf_${i} }`);
  const body = `'use strict';\n${source.join('\n')}\nreturn [${roots.join(', ')}];`;
  return new Function(...Object.keys(shape.helpers), body)(...Object.values(shape.helpers));
}

const visitor = (m, shape) => `
function visit_${m.id}(o) {
  let sum = 1;
${m.fields.map(f => field(m, f, shape)).join('\n')}
  return sum | 0;
}`;

const value = (f, x, shape) => (f.kind === 'message' ? `visit_${f.type}(${x})` : shape.sum(f, x));

function field(m, f, shape) {
  const member = `const x = ${shape.member(m, f, 'o')}`;
  const set = f.label === 'map' || shape.isSet(m, f, 'o', 'x');
  switch (f.label) {
    case 'list':
      return `  { ${member}; if (${set}) { sum++; for (let i = 0; i < x.length; i++) { const e = x[i]; sum = sum + ${value(f, 'e', shape)} | 0; } } }`;
    case 'map': {
      const key = f.mapKey === 'string' ? 'k.length + 1' : '1';
      return `  { ${member}; let some = 0; for (const k in x) { const e = x[k]; some = 1; sum = sum + ${key} + ${value(f, 'e', shape)} | 0; } sum += some; }`;
    }
  }
  return `  { ${member}; if (${set}) sum = sum + ${value(f, 'x', shape)} | 0; }`;
}

// leaf follows the root's way to one value.
function leaf(model, root, number, shape) {
  const lines = [];
  let m = message(model, root.type);
  root.leaf.forEach((id, step) => {
    const f = m.fields.find(f => f.id === id);
    const [o, x] = [`o${step}`, `o${step + 1}`];
    lines.push(`const ${x} = ${shape.member(m, f, o)};`);
    if (f.label === 'map') {
      lines.push(`return Object.keys(${x} ?? {}).length || 1;`);
      return;
    }
    lines.push(`if (!(${shape.isSet(m, f, o, x)})) return 1;`);
    if (f.label === 'list') lines.push(`return ${x}.length;`);
    else if (step === root.leaf.length - 1) lines.push(`return ${value(f, x, shape)} | 0;`);
    else m = message(model, f.type);
  });
  return `function leaf_${number}(o0) {\n  ${lines.join('\n  ') || 'return 1;'}\n}`;
}

export const message = (model, id) => model.messages.find(m => m.id === id);

// float is what a number adds that may have a fraction.
export const float = v => (v > -2147483648 && v < 2147483648 ? (v | 0) + 1 : 1);

// isLong reports whether a field's integers have 64 bits.
export const isLong = f => f.kind === 'int64' || f.kind === 'uint64';
