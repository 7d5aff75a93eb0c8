// `npm run kill-matrix`: every faulty server against the checks that claim to
// find it out, or with --all against every check. Ends with 1 when a check kills
// nothing or a faulty server survives.
import process from 'node:process';
import { allChecks, judgeServer, runOptions, showProgress, withoutPace } from '@agent-platform/conformance';
import { isProved, type MatrixRow, printMatrix } from './matrix.ts';
import { allMutants, buildMutants } from './mutants/all-mutants.ts';
import { frameMutants } from './mutants/frame-mutants.ts';
import { type ReferenceServer, startReferenceServer, withoutLimits } from './reference-server.ts';
import { type Mutant, startFaulty } from './start-faulty.ts';

const faultyServers: readonly Mutant[] = [...allMutants, ...buildMutants, ...frameMutants];

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
  const checks = allChecks.map(({ id }) => id);
  process.stdout.write(printMatrix(checks, rows));
  process.exitCode = isProved(checks, rows) ? 0 : 1;
} finally {
  await clean.stop();
}

async function judge(server: ReferenceServer, faulty: Mutant, isWhole: boolean): Promise<MatrixRow> {
  const running = await startFaulty(server, faulty);
  const claimed = allChecks.filter(({ id }) => faulty.kills.includes(id)).flatMap(({ covers }) => covers);
  try {
    const report = await judgeServer(
      runOptions(running.url, {
        ...server.means,
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
    const killedBy = report.checks.filter(({ verdict }) => verdict === 'failed').map(({ id }) => id);
    return { name: faulty.name, claimed: faulty.kills, killedBy };
  } finally {
    await running.close();
  }
}
