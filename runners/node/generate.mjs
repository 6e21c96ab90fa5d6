// Prepares a build: node generate.mjs HOME CODECS. HOME holds the libraries.
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const [home, codecs] = process.argv.slice(2);
symlinkSync(join(home, 'node_modules'), 'node_modules', 'junction');
if (codecs.split(',').includes('protobufjs')) {
  try {
    await generateMessages();
  } catch (error) {
    console.log(`wirecost:drop protobufjs its generator fails: ${String(error.message).replace(/\s+/g, ' ')}`);
  }
}

// generateMessages has protobufjs write static code for the messages.
async function generateMessages() {
  const require = createRequire(import.meta.url);
  const protobuf = require('protobufjs');
  require('protobufjs/ext/descriptor');
  const pbjs = require('protobufjs-cli/pbjs');
  mkdirSync('generated');
  const root = protobuf.Root.fromDescriptor(readFileSync('set.binpb')).resolveAll();
  writeFileSync('generated/root.json', JSON.stringify(root));
  await new Promise((resolve, reject) => {
    pbjs.main([
      '--target', 'static-module', '--wrap', 'commonjs', '--dependency', 'protobufjs/minimal',
      '--no-create', '--no-verify', '--no-convert', '--no-delimited', '--no-typeurl', '--no-service', '--no-comments',
      '--out', 'generated/messages.cjs', 'generated/root.json',
    ], error => (error ? reject(error) : resolve()));
  });
}
