// What is timed. The file of a codec exports a function: of the schema {model,
// set, parse} it makes
//   decode   source text: decodes "input"
//   encode   source text: encodes "object"
//   root(i)  what this text may name, for the model's root i, with leaf and visit
//   refuse   a function of a root and its documents: why it cannot handle them, or '' (may be missing)
//   input    makes of a document's bytes what decode starts from (may be missing)
// Here the text becomes functions. Each loop is a function of its own, with
// the codec's call inside: V8 sees one call with one target there, as in a program
// that has one codec for one type, whatever else this process measured before.

let serial = 0;

// compile makes a function of source text, in which the names of scope are known.
// The name makes the text unique: V8 gives equal texts the same code and feedback.
function compile(source, scope, name) {
  const body = `'use strict';\nreturn ${source};\n//# sourceURL=wirecost/${name}/${serial++}`;
  return new Function(...Object.keys(scope), body)(...Object.values(scope));
}

// once gives decode, encode, leaf and visit for a codec on one root: single steps, never timed.
export function once(codec, scope, name) {
  return {
    decode: compile(`input => ${codec.decode}`, scope, `${name}/decode-once`),
    encode: compile(`object => ${codec.encode}`, scope, `${name}/encode-once`),
    leaf: object => scope.leaf(object) >>> 0,
    visit: object => scope.visit(object) >>> 0,
  };
}

// timed gives the loop for an operation: it takes the documents to use in turn, and
// how many operations to do, and gives the milliseconds with the checksum. Its property
// some is the inner loop.
export function timed(operation, codec, scope, name) {
  return loop({
    decode: `const { input } = document; sum = sum + leaf(${codec.decode}) | 0;`,
    visit: `const { input } = document; sum = sum + visit(${codec.decode}) | 0;`,
    encode: `const { object } = document; sum = sum + (${codec.encode}).length + document.excess | 0;`,
  }[operation], scope, `${name}/${operation}`);
}

// empty is the loop around nothing.
export const empty = () => loop('sum = sum + 1 | 0;', {}, 'empty');

// How many operations one call of the inner loop does. V8 compiles a function when it
// has been called often; a loop that is called once for a whole batch would be
// replaced while it runs, in one batch sooner than in the next.
const AT_ONCE = 16;

function loop(step, scope, name) {
  const some = compile(`(documents, next, n) => {
    let sum = 0;
    for (let i = 0; i < n; i++) {
      const document = documents[next];
      ${step}
      if (++next === documents.length) next = 0;
    }
    return sum;
  }`, scope, name);
  const run = compile(`(documents, iterations) => {
    let sum = 0, next = 0;
    const start = performance.now();
    for (let left = iterations; left > 0; left -= ${AT_ONCE}) {
      const n = Math.min(left, ${AT_ONCE});
      sum = sum + some(documents, next, n) | 0;
      next = (next + n) % documents.length;
    }
    const wall = performance.now() - start;
    return { wall, sum: sum >>> 0 };
  }`, { some }, `${name}/batch`);
  return Object.assign(run, { some });
}

// clockStep is the smallest difference that two readings of the clock showed, in ms.
export function clockStep() {
  let least = Infinity;
  for (let i = 0; i < 2000; i++) {
    const start = performance.now();
    let step = 0;
    while (step <= 0) step = performance.now() - start;
    least = Math.min(least, step);
  }
  return least;
}
