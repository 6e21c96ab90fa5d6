// What a browser does for the shared server (harness/server.mjs). Documents
// come from URLs of this page's origin and go to such.
import { head } from './harness/server.mjs';
import { browser } from './browser.mjs';
import { codecs } from './codecs.mjs';
import { control } from './control.mjs';
import description from './description.json';
import model from './schema.json';
import set from './set.binpb';
import { versions } from './versions.mjs';

const unknown = { cpu_ns: -1, preemptions: -1, collections: -1 };

async function ask(url, options) {
  const response = await fetch(url, { cache: 'no-store', ...options });
  if (!response.ok) throw new Error(`${url}: ${(await response.text()).trim() || response.statusText}`);
  return response;
}

export const platform = {
  description,
  schema: { model, set, parse: control.parse },

  about: async () => ({ version: `${await browser()} on ${navigator.platform}, ${crossOriginIsolated ? '' : 'not '}cross-origin isolated` }),

  version: library => versions[library] ?? browser(),

  load: name => codecs[name](),

  read: async url => new Uint8Array(await (await ask(url)).arrayBuffer()),

  async write(url, documents) {
    const parts = [];
    for (const document of documents) parts.push(head(document), document);
    await ask(url, { method: 'PUT', body: new Blob(parts) });
  },

  // Chromium lends its collector to pages if it is asked to at its start.
  settle: () => globalThis.gc?.(),

  meter: () => () => unknown,
};
