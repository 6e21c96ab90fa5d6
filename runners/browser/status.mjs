// What the page shows of its work. It changes seldom: to paint costs time.
const seldom = 1000; // ms

const words = {
  describe: 'telling what it can measure',
  prepare: 'reading documents',
  verify: 'checking that every document comes back',
  cold: 'timing first operations',
  measure: 'timing short batches',
  empty: 'timing an empty loop',
  call: 'asking a server',
  stop: 'stopping',
};

// show puts texts into the page, by the ids of their places.
export function show(texts) {
  for (const [id, text] of Object.entries(texts)) {
    const place = document.getElementById(id);
    if (place.textContent !== text) place.textContent = text;
  }
}

let answered = 0;
let shown = -Infinity;
let before = '';

function note(request) {
  const codec = request.codec ?? request.turn?.[0]?.codec ?? request.codecs?.join(', ');
  const now = performance.now();
  answered++;
  if (request.request === before && now - shown < seldom) return;
  [before, shown] = [request.request, now];
  show({ doing: 'Measuring in this browser', step: words[before] ?? before, answered: `${answered} requests`, ...(codec && { codec }) });
}

// showing is a JSON that notes what it reads: requests.
export const showing = ({ parse, stringify }) => ({
  stringify,
  parse(line) {
    const request = parse(line);
    note(request);
    return request;
  },
});
