// Plain JavaScript that Node.js 18 can read, because `npm start` loads it before anything is installed.
import { getHeapStatistics } from 'node:v8';

/** The heap limit: several times what a server uses under load. */
const heapMaxMiB = 1_024;

/** Half of the heap for new objects, which may also own memory outside the heap. V8's default is 64 MiB. */
const semiSpaceMaxMiB = 16;

/** The Node.js flags that limit the server's heap; limits in NODE_OPTIONS or on a smaller machine take precedence. */
export function findMissingHeapFlags() {
  const given = [...process.execArgv, process.env['NODE_OPTIONS']].join(' ');
  const hasHeapMax =
    /--max[-_](old[-_]space|heap)[-_]size/.test(given) || getHeapStatistics().heap_size_limit <= heapMaxMiB * 2 ** 20;
  const hasSemiSpaceMax = /--max[-_]semi[-_]space[-_]size/.test(given);
  return [
    ...(hasHeapMax ? [] : [`--max-old-space-size=${heapMaxMiB}`]),
    ...(hasSemiSpaceMax ? [] : [`--max-semi-space-size=${semiSpaceMaxMiB}`]),
  ];
}
