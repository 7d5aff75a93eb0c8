// Plain JavaScript in the language of Node.js 18: `npm start` reads it before anything is installed.
import { getHeapStatistics } from 'node:v8';

/** Several times the heap of a server under load. */
const heapMaxMiB = 1_024;

/** Half of the heap for new objects. V8 lets it grow to 64 MiB, and each object may hold memory outside. */
const semiSpaceMaxMiB = 16;

/**
 * The flags of Node.js that limit the heap of the server, without those that are given already:
 * limits in NODE_OPTIONS, and a smaller machine, decide for themselves.
 */
export function missingHeapFlags() {
  const given = [...process.execArgv, process.env['NODE_OPTIONS']].join(' ');
  const hasHeapMax =
    /--max[-_](old[-_]space|heap)[-_]size/.test(given) || getHeapStatistics().heap_size_limit <= heapMaxMiB * 2 ** 20;
  const hasSemiSpaceMax = /--max[-_]semi[-_]space[-_]size/.test(given);
  return [
    ...(hasHeapMax ? [] : [`--max-old-space-size=${heapMaxMiB}`]),
    ...(hasSemiSpaceMax ? [] : [`--max-semi-space-size=${semiSpaceMaxMiB}`]),
  ];
}
