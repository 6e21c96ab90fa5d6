// What Node.js does for the shared server (harness/server.mjs).
import { closeSync, openSync, readFileSync, writevSync } from 'node:fs';

import { control } from './control.mjs';
import { head } from './harness/server.mjs';
import { readCollections, readUsage } from './usage.mjs';

const here = name => readFileSync(new URL(name, import.meta.url));
const json = name => control.parse(here(name).toString());

export const platform = {
  description: json('description.json'),
  schema: { model: json('schema.json'), set: here('set.binpb'), parse: control.parse },

  about: () => ({ version: `${process.version} ${process.platform}/${process.arch}, V8 ${process.versions.v8}` }),

  // version is that of a package, or of the engine for what comes with it.
  version: library => (library === 'JSON' ? `V8 ${process.versions.v8}` : json(`node_modules/${library}/package.json`).version),

  load: name => import(`./codecs/${name}.mjs`),

  read: readFileSync,

  write(place, documents) {
    const file = openSync(place, 'w');
    try {
      for (const document of documents) writevSync(file, [head(document), document]);
    } finally {
      closeSync(file);
    }
  },

  settle: () => globalThis.gc(),

  async meter() {
    const collections = await readCollections();
    const before = readUsage();
    return async () => {
      const after = readUsage();
      return {
        cpu_ns: after.cpu - before.cpu,
        preemptions: after.preemptions - before.preemptions,
        collections: await readCollections() - collections,
      };
    };
  },
};
