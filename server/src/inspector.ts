import { readSync } from 'node:fs';
import { inspectFile } from './inspection/inspect-file.ts';
import type { InspectionRequest } from './inspection/verdict.ts';

// The process that looks at foreign files. Its standard input brings a
// question a line, its standard output takes a verdict for each; it is told
// nothing else and shares nothing. The libraries are loaded before the first
// question comes, so that a process that was started ahead answers at once.
const { warmUp } = await import('./inspection/image/inspect-image.ts');
await warmUp();
process.stdout.write('ready\n');

for (let question = readLine(); question !== ''; question = readLine()) {
  // Asked by our own server, in its own words: the border of the two processes.
  const inspection = JSON.parse(question) as InspectionRequest;
  process.stdout.write(`${JSON.stringify(await inspectFile(inspection))}\n`);
}

// There is nothing else to do meanwhile, and what waits least is there soonest.
function readLine(): string {
  const standardInput = 0;
  const newline = 0x0a;
  const chunks: Buffer[] = [];
  do {
    const chunk = Buffer.alloc(4_096);
    const bytes = readSync(standardInput, chunk);
    // The server is gone.
    if (bytes === 0) return '';
    chunks.push(chunk.subarray(0, bytes));
  } while (chunks.at(-1)?.at(-1) !== newline);
  return Buffer.concat(chunks).toString('utf8');
}
