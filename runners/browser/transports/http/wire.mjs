// received starts to note responses; the function that it gives tells how many
// bytes their bodies had on the wire, of those whose address starts so. The
// browser notes a response a little after the page has it.
const patience = 2000; // ms

export function received(count) {
  performance.clearResourceTimings();
  performance.setResourceTimingBufferSize(count + 250);
  return async start => {
    const until = performance.now() + patience;
    for (;;) {
      const entries = performance.getEntriesByType('resource').filter(entry => entry.name.startsWith(start));
      if (entries.length >= count) return total(entries);
      if (performance.now() > until) throw new Error(`the browser noted ${entries.length} of ${count} responses`);
      await new Promise(resolve => setTimeout(resolve));
    }
  };
}

function total(entries) {
  if (entries.some(entry => entry.transferSize === 0)) throw new Error('the server does not let the page see sizes (Timing-Allow-Origin)');
  return entries.reduce((sum, entry) => sum + entry.encodedBodySize, 0);
}
