// `node conformance/testing/stubs/main.ts [part of a name]` runs the suite against each stub server in sequence.
// Exits with 1 if the suite passes any requirement, crashes, hangs or writes a report that does not match its schema.
import process from 'node:process';
import { judgeStub } from './judge-stub.ts';
import { stubServers } from './stub-servers.ts';

const part = process.argv[2] ?? '';
for (const name of Object.keys(stubServers).filter((one) => one.includes(part))) {
  const { exitCode, seconds, failed, faults, lastLine } = await judgeStub(name);
  const result = failed > 0 ? `${failed} failed` : lastLine;
  process.stdout.write(
    `${faults.length === 0 ? 'well ' : 'FAULT'} ${name}: exit ${exitCode}, ${seconds} s, ${result}\n`,
  );
  for (const fault of faults) process.stdout.write(`      ${fault}\n`);
  if (faults.length > 0) process.exitCode = 1;
}
