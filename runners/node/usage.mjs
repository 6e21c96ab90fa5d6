// What the process has used so far.
import { PerformanceObserver, constants } from 'node:perf_hooks';
import { setImmediate } from 'node:timers/promises';

const steps = new Set([constants.NODE_PERFORMANCE_GC_INCREMENTAL, constants.NODE_PERFORMANCE_GC_WEAKCB]); // parts of a collection

let collections = 0;
const observer = new PerformanceObserver(list => count(list.getEntries()));
observer.observe({ entryTypes: ['gc'] });

function count(entries) {
  for (const { detail } of entries) if (!steps.has(detail.kind)) collections++;
}

// readCollections counts garbage collections. Node tells of one only after the
// event loop has come round, so this waits for that.
export async function readCollections() {
  await setImmediate();
  await setImmediate();
  count(observer.takeRecords());
  return collections;
}

// readUsage gives the CPU time of all threads, in nanoseconds, and their involuntary context switches.
export function readUsage() {
  const used = process.resourceUsage();
  return { cpu: (used.userCPUTime + used.systemCPUTime) * 1000, preemptions: used.involuntaryContextSwitches };
}
