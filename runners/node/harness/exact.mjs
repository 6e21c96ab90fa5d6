// Finds numbers that JSON.parse does not keep: integers beyond 2^53, and numbers
// that the schema keeps as text. A codec that uses JSON.parse refuses documents
// with them.
import { isLong } from '../visitors.mjs';
import { fields, find, token } from './find.mjs';
import { fromBytes } from './utf8.mjs';

// changed says which value of the documents JSON.parse would change, or ''. The
// schema's parse is a JSON.parse of which the codecs' own keeps no trace.
export function changed({ model, parse }, root, documents) {
  const { type } = model.roots[root];
  const risks = fields(model, type).filter(f => (isLong(f) && !f.repr) || f.kind === 'value' || isText(f));
  if (risks.length === 0) return '';
  const texts = risks.some(isText);
  for (const bytes of documents) {
    const text = fromBytes(bytes);
    if (!texts && !/[0-9]{16}/.test(text)) continue; // integers of fewer digits are exact
    const document = parsed(parse, marked(text));
    const found = document !== undefined && find(model, type, document, judge, v => (isMarked(v) ? 'number' : token(v)));
    if (found) return found;
  }
  return '';
}

// parsed gives undefined for what is no JSON: "verify" will say what is wrong with it.
export function parsed(parse, text) {
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}

// isText reports whether a field keeps numbers as their text.
const isText = f => f.kind === 'string' && f.repr === 'number';

const mark = '\u0000number:';
const isMarked = v => typeof v === 'string' && v.startsWith(mark);

// marked puts those numbers into marked strings that a double spells differently.
function marked(text) {
  let out = '', done = 0;
  for (const [start, end] of numbers(text)) {
    const number = text.slice(start, end);
    if (String(Number(number)) === number) continue;
    out += `${text.slice(done, start)}"\\u0000number:${number}"`;
    done = end;
  }
  return out + text.slice(done);
}

// numbers gives the places of a JSON text's numbers.
function* numbers(text) {
  for (let at = 0; at < text.length; at++) {
    const c = text.charCodeAt(at);
    if (c === 0x22) { // a string: go to the quote that ends it
      do at = text.indexOf('"', at + 1); while (isEscaped(text, at));
      if (at < 0) return;
    } else if (isNumeric(c)) {
      const start = at;
      while (isNumeric(text.charCodeAt(at)) || '.eE+'.includes(text.charAt(at) || ' ')) at++;
      yield [start, at--];
    }
  }
}

const isNumeric = c => (c >= 0x30 && c <= 0x39) || c === 0x2d;

function isEscaped(text, quote) {
  let backslashes = 0;
  while (text[quote - 1 - backslashes] === '\\') backslashes++;
  return backslashes % 2 === 1;
}

// judge describes a marked number, if its field tells it from what a double makes of it.
function judge(f, v, path) {
  if (!isMarked(v) || f.kind === 'float' || f.kind === 'double') return '';
  const number = v.slice(mark.length), double = String(Number(number));
  if (isText(f)) return `the number ${number} at ${path} is kept as text, and JSON.parse makes ${double} of it`;
  if (!isWhole(number)) return '';
  if (isWhole(double) && BigInt(double) === BigInt(number)) return ''; // -0
  return `the integer ${number} at ${path} is beyond 2^53, and JSON.parse makes ${double} of it`;
}

const isWhole = text => /^-?\d+$/.test(text);
