// received starts to note responses. The function that it gives checks that the
// bodies of those whose address starts so had as many bytes on the wire as were
// announced: a browser may take one for whole that was cut short. The browser
// notes a response a little after the page has it, those of a call before perhaps
// only now.
const patience = 2000; // ms

export function received(count) {
  performance.clearResourceTimings();
  performance.setResourceTimingBufferSize(count + 250);
  const since = performance.now() - 0.1; // clocks are rounded
  return async (start, announced) => {
    const until = performance.now() + patience;
    for (;;) {
      const entries = performance.getEntriesByType('resource').filter(({ name, startTime }) => startTime > since && name.startsWith(start));
      if (entries.length >= count) return compare(entries, announced);
      if (performance.now() > until) throw new Error(`the browser noted ${entries.length} of ${count} responses`);
      await new Promise(resolve => setTimeout(resolve));
    }
  };
}

function compare(entries, announced) {
  if (entries.some(entry => entry.transferSize === 0)) throw new Error('the server does not let the page see sizes (Timing-Allow-Origin)');
  const crossed = entries.reduce((sum, entry) => sum + entry.encodedBodySize, 0);
  if (crossed !== announced) throw new Error(`the server announced ${announced} bytes (Content-Length), and ${crossed} crossed`);
}
