// Tells whether everything that package-lock.json pins is installed, and the
// versions of what is measured. An interrupted "npm ci" leaves packages out.
import { readFileSync } from 'node:fs';

const read = file => JSON.parse(readFileSync(file, 'utf8'));
const lock = read('package-lock.json').packages;
for (const [folder, { version, optional }] of Object.entries(lock)) {
  if (folder === '' || optional) continue;
  const installed = read(`${folder}/package.json`).version;
  if (installed !== version) throw new Error(`${folder} is ${installed}; want ${version}`);
}
const measured = Object.keys(lock[''].dependencies);
console.log(measured.map(name => `${name} ${lock[`node_modules/${name}`].version}`).join(', '));
