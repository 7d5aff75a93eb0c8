// `npm run kill-matrix`: every faulty server against the checks that claim to find it out, or with --all against
// every check; with --part 1/4 a quarter of them. Ends with 1 when a check kills nothing, a tested requirement is failed
// by nothing, or a faulty server survives or fails too many requirements.
import process from 'node:process';
import {
  allChecks,
  judgeServer,
  readRequirements,
  runOptions,
  showProgress,
  withoutPace,
} from '@agent-platform/conformance';
import { isNoticed, type MatrixRow, openPointsOf, printMatrix } from './matrix.ts';
import { allMutants, buildMutants } from './mutants/all-mutants.ts';
import { frameMutants } from './mutants/frame-mutants.ts';
import { type ReferenceServer, startReferenceServer, withoutLimits } from './reference-server.ts';
import { type Mutant, startFaulty } from './start-faulty.ts';

const [, part = '1', parts = '1'] = /^(\d+)\/(\d+)$/.exec(process.argv[process.argv.indexOf('--part') + 1] ?? '') ?? [];
const all: readonly Mutant[] = [...allMutants, ...buildMutants, ...frameMutants];
const faultyServers = all.filter((_, at) => at % Number(parts) === Number(part) - 1);

const progress = showProgress({
  isTerminal: process.stderr.isTTY,
  write: (text) => process.stderr.write(text),
  now: () => performance.now(),
});
const clean = await startReferenceServer({ ...withoutLimits, PLATFORM_CLOCK: 'test' });
try {
  const rows: MatrixRow[] = [];
  for (const faulty of faultyServers) {
    progress.step(rows.length + 1, faultyServers.length, faulty.name);
    rows.push(await judge(clean, faulty, process.argv.includes('--all')));
  }
  progress.end();
  const toBeProved = {
    checks: allChecks.map(({ id }) => id),
    requirements: readRequirements().flatMap(({ id, standing }) => (standing === 'tested' ? [id] : [])),
  };
  process.stdout.write(printMatrix(toBeProved, rows));
  process.exitCode = openPointsOf(toBeProved, rows).length === 0 ? 0 : 1;
} finally {
  await clean.stop();
}

async function judge(server: ReferenceServer, faulty: Mutant, isWhole: boolean): Promise<MatrixRow> {
  const running = await startFaulty(server, faulty);
  const claimed = allChecks.filter(({ id }) => faulty.kills.includes(id)).flatMap(({ covers }) => covers);
  try {
    const report = await judgeServer(
      runOptions(running.url, {
        hooks: { ...server.means.hooks, suspend: server.suspendCommand },
        wsUrl: running.wsUrl,
        eventSeconds: 1,
        only: isWhole ? [] : claimed,
        // Only who claims it: of any other server these wait for a minute.
        profiles: allChecks.some(({ id, profile }) => profile !== undefined && faulty.kills.includes(id))
          ? ['limits']
          : [],
        limits: withoutPace,
      }),
    );
    const killedBy = report.checks.filter(isNoticed).map(({ id }) => id);
    const failed = report.requirements.filter(({ verdict }) => verdict === 'failed');
    const row = {
      name: faulty.name,
      claimed: faulty.kills,
      killedBy,
      failed: failed.map(({ requirement }) => requirement.id),
    };
    process.stderr.write(`${JSON.stringify(row)}\n`);
    return row;
  } finally {
    await running.close();
  }
}
