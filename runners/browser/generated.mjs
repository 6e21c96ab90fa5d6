// protobufjs's static code for the messages of a descriptor set, made by its
// own generator. That runs in a worker, so that the page's engine sees the code
// alone, as in a page that was built with it.
import runtime from 'protobufjs/minimal.js';

export async function generated(set) {
  const { code, error } = await generate(set);
  if (error) throw new Error(`its generator fails: ${error}`);
  return new Function('$protobuf', `'use strict';\n${code}\nreturn $root;\n//# sourceURL=wirecost/protobufjs/messages`)(runtime);
}

function generate(set) {
  const worker = new Worker(new URL('generator.js', document.baseURI), { type: 'module' });
  return new Promise((resolve, reject) => {
    worker.addEventListener('message', ({ data }) => resolve(data));
    worker.addEventListener('error', ({ message }) => reject(new Error(`its generator does not start: ${message}`)));
    worker.postMessage(set);
  }).finally(() => worker.terminate());
}
