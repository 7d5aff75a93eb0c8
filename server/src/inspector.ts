import { readSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import { inspectFile } from './inspection/inspect-file.ts';
import type { InspectionRequest } from './inspection/verdict.ts';

// The process that inspects untrusted files. It reads one request a line from its
// standard input and writes one verdict for each; it has no other input and shares
// nothing. The libraries are loaded before the first request, so that a process
// that was started ahead answers at once.
const { warmUp } = await import('./inspection/image/inspect-image.ts');
await warmUp();
process.stdout.write('ready\n');
// The server ends this process by force, which leaves no time for that.
flushCompileCache();

for (let request = readLine(); request !== ''; request = readLine()) {
  // Written by our own server: the border of the two processes.
  const inspection = JSON.parse(request) as InspectionRequest;
  process.stdout.write(`${JSON.stringify(await inspectFile(inspection))}\n`);
}

// A synchronous read has the shortest delay, and there is no other work meanwhile.
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
