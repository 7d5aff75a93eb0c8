import { readSync, writeFileSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import { forbidCodeFromText, formatVerdict, inspectFile } from './inspection/inspect-file.ts';
import type { InspectionRequest } from './inspection/verdict.ts';

const standardInput = 0;
const standardOutput = 1;

// A supervisor may signal every process of a service, and the server finishes what
// it has accepted. It ends this process by force or by the end of its input.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);

// The process that inspects untrusted files. It reads one request a line from its
// standard input and writes one verdict for each; it has no other input and shares
// nothing. The libraries are loaded before the first request, so that a process
// that was started ahead answers immediately.
const { warmUp } = await import('./inspection/image/inspect-image.ts');
forbidCodeFromText();
await warmUp();
writeLine('ready');
// The server ends this process by force, which leaves no time for that.
flushCompileCache();

for (let request = readLine(); request !== ''; request = readLine()) {
  // Written by our own server: the border of the two processes.
  const inspection = JSON.parse(request) as InspectionRequest;
  writeLine(formatVerdict(await inspectFile(inspection)));
}
// Otherwise the handlers of signals keep it.
process.exit();

// A synchronous read has the shortest delay, and this process has no other work.
function readLine(): string {
  const newline = 0x0a;
  const chunks: Buffer[] = [];
  do {
    const chunk = Buffer.alloc(4_096);
    const bytes = readSync(standardInput, chunk);
    // The server has exited.
    if (bytes === 0) return '';
    chunks.push(chunk.subarray(0, bytes));
  } while (chunks.at(-1)?.at(-1) !== newline);
  return Buffer.concat(chunks).toString('utf8');
}

function writeLine(line: string): void {
  writeFileSync(standardOutput, `${line}\n`);
}
