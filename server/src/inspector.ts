import { readFileSync } from 'node:fs';
import { inspectFile } from './inspection/inspect-file.ts';
import type { Inspection } from './inspection/verdict.ts';

// The process that looks at one foreign file and ends. Its standard input
// brings the question, its standard output takes the verdict; it is told
// nothing else and shares nothing. The libraries are loaded before the
// question comes, so that a process that was started ahead answers at once.
const { warmUp } = await import('./inspection/inspect-image.ts');
await warmUp();
process.stdout.write('ready\n');

// There is nothing else to do meanwhile, and what waits least is there soonest.
const standardInput = 0;
const question = readFileSync(standardInput, 'utf8');
if (question !== '') {
  // Asked by our own server, in its own words: the border of the two processes.
  const inspection = JSON.parse(question) as Inspection;
  process.stdout.write(`${JSON.stringify(await inspectFile(inspection))}\n`);
}
