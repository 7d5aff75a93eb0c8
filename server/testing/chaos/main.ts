// `npm run lab -- chaos [--seed n] [--minutes n] [--faults a,b] [--instances n] [--sockets n] [--rate n] [--logs
// folder]`: runs three instances with a mixed load while faults affect them and their backends. Exits with 1 if
// acknowledged data is lost or duplicated, or if a request fails without a fault that explains it.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { canStartSwift } from './cluster.ts';
import { type FaultName, faultNames } from './faults/faults.ts';
import { type ChaosReport, runChaos } from './run-chaos.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    minutes: { type: 'string', default: '20' },
    faults: { type: 'string', default: faultNames.join(',') },
    instances: { type: 'string', default: '3' },
    sockets: { type: 'string', default: '2000' },
    rate: { type: 'string', default: '30' },
    logs: { type: 'string' },
  },
});

const say = (line: string) => process.stdout.write(`${line}\n`);

// The exit handlers of this process also stop the programs that it started.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));

say(`seed ${values.seed}, ${values.minutes} minutes, faults: ${values.faults}`);
const report = await runChaos({
  seed: readNumber('seed'),
  seconds: 60 * readNumber('minutes'),
  instances: readNumber('instances'),
  sockets: readNumber('sockets'),
  jobsPerSecond: readNumber('rate'),
  faults: values.faults.split(',').map(readFault),
  pace: 1,
  storage: canStartSwift() ? 'swift' : 's3rver',
  say,
  keepLogs,
});
sum(report);
process.exit(report.problems.length === 0 ? 0 : 1);

function readNumber(name: 'seed' | 'minutes' | 'instances' | 'sockets' | 'rate'): number {
  const number = Number(values[name]);
  if (Number.isFinite(number) && number > 0) return number;
  throw new Error(`--${name} must be a number above 0.`);
}

function readFault(text: string): FaultName {
  const name = faultNames.find((known) => known === text);
  if (name === undefined) throw new Error(`There is no fault "${text}". The faults are: ${faultNames.join(', ')}.`);
  return name;
}

function keepLogs(logs: readonly string[]): void {
  if (values.logs === undefined) return;
  mkdirSync(values.logs, { recursive: true });
  for (const [number, log] of logs.entries()) writeFileSync(join(values.logs, `${number}.log`), log);
}

function sum({
  succeeded,
  connections,
  events,
  compared,
  effects,
  refused,
  warnings,
  problems,
  stoodStill,
}: ChaosReport) {
  const list = (counts: Readonly<Record<string, number>>) =>
    Object.entries(counts)
      .map(([name, count]) => `${count} ${name}`)
      .join(', ');
  say(`\nsuccessful requests: ${list(succeeded)}`);
  say(`${connections} event connections opened, ${events} different events; ${compared} records compared`);
  say(`failures: ${list(refused) || 'none'}`);
  say(`warnings in the logs: ${list(warnings) || 'none'}`);
  say('\nfault: its length, the longest time without a successful request, the last failed request after it, failures');
  for (const { name, seconds, outageMs, lastFailureMs, failed } of effects) {
    const times = [seconds, outageMs / 1_000, lastFailureMs / 1_000].map((value) => `${value.toFixed(1)} s`);
    say(`  ${name}: ${times.join(', ')}; ${list(failed) || 'none'}`);
  }
  say(`\nseed ${values.seed}: ${problems.length} problems`);
  for (const problem of problems) say(`  ${problem}`);
  if (stoodStill) say('The machine paused this process for seconds; if there are problems, run it again.');
}
