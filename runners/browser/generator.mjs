// A worker: takes a descriptor set and gives protobufjs's static code for it,
// the same text as its command line writes.
import protobuf from 'protobufjs';
import 'protobufjs/ext/descriptor.js';
import target from 'protobufjs-cli/targets/static.js';

const options = { encode: true, decode: true, beautify: true };

addEventListener('message', ({ data }) => {
  try {
    const set = protobuf.Root.fromDescriptor(data).resolveAll();
    const root = protobuf.Root.fromJSON(JSON.parse(JSON.stringify(set))).resolveAll();
    target(root, options, (error, code) => {
      if (error) throw error;
      postMessage({ code });
    });
  } catch (error) {
    postMessage({ error: error.message });
  }
});
