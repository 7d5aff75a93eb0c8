import { readSync, writeFileSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import { forbidCodeFromText, formatVerdict, inspectFile } from './inspection/inspect-file.ts';
import type { InspectionRequest } from './inspection/verdict.ts';

const standardInput = 0;
const standardOutput = 1;

// A supervisor may send signals to every process of a service, but the server must still finish accepted requests. To
// end this process, the server kills it or closes its input.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);

// The process that inspects untrusted files. It reads one request per line from stdin and writes one verdict for each.
// It has no other input and shares no data. Libraries are loaded before the first request, so that a process that was
// started in advance responds immediately.
const { warmUpLibraries } = await import('./inspection/image/inspect-image.ts');
forbidCodeFromText();
await warmUpLibraries();
writeLine('ready');
// Flush now, because the server later kills this process without warning.
flushCompileCache();

for (let request = readLine(); request !== ''; request = readLine()) {
  // Our own server sent this request, so it is not validated.
  const inspection = JSON.parse(request) as InspectionRequest;
  writeLine(formatVerdict(await inspectFile(inspection)));
}
// Otherwise the signal handlers would keep the process alive.
process.exit();

// A synchronous read has the least delay, and this process has no other work.
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
