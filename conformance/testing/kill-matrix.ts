// `npm run kill-matrix`: every faulty server against the checks that claim to find it out, or with --all against every
// check; with --part 1/4 a quarter of them, with --name TEXT those whose name contains it. Those of `further/` name no
// check and meet every one, and --further selects them alone. --only IDS limits the requirements, --limits adds the profile
// of that name, --serve starts the one faulty server that is left and waits for Ctrl-C. Ends with 1 when a check kills
// nothing, a tested requirement is failed by nothing, or a faulty server survives or fails too many requirements.
import { once } from 'node:events';
import process from 'node:process';
import { parseArgs } from 'node:util';
import {
  allChecks,
  judgeServer,
  readRequirements,
  runOptions,
  showProgress,
  withoutPace,
} from '@agent-platform/conformance';
import { countChanges, readFurtherMutants } from './further-mutants.ts';
import { isNoticed, type MatrixRow, openPointsOf, printMatrix } from './matrix.ts';
import { allMutants, buildMutants } from './mutants/all-mutants.ts';
import { frameMutants } from './mutants/frame-mutants.ts';
import { walkOptions } from './mutants/walk-mutants.ts';
import { type ReferenceServer, startReferenceServer, withoutLimits } from './reference-server.ts';
import { type Mutant, startFaulty } from './start-faulty.ts';

const flag = { type: 'boolean', default: false } as const;
const { values: options } = parseArgs({
  options: {
    ...{ all: flag, further: flag, limits: flag, serve: flag },
    ...{ part: { type: 'string', default: '1/1' }, name: { type: 'string', default: '' } },
    only: { type: 'string', default: '' },
  },
});
const [part = 1, parts = 1] = options.part.split('/').map(Number);
const own = options.further ? [] : [...allMutants, ...buildMutants, ...frameMutants];
const faultyServers: readonly Mutant[] = [...own, ...(await readFurtherMutants())]
  .filter(({ name }) => name.includes(options.name))
  .filter((_, at) => at % parts === part - 1);
const isSelection = options.further || options.name !== '' || options.only !== '';

const progress = showProgress({
  isTerminal: process.stderr.isTTY,
  write: (text) => process.stderr.write(text),
  now: () => performance.now(),
});
const clean = await startReferenceServer({ ...withoutLimits, PLATFORM_CLOCK: 'test' });
try {
  if (options.serve) await serve(clean, faultyServers);
  else await judgeAll();
} finally {
  await clean.stop();
}

async function judgeAll(): Promise<void> {
  if (faultyServers.length === 0) {
    process.stderr.write('No faulty server matches. See testing/faults and testing/further.\n');
    process.exitCode = 2;
    return;
  }
  const rows: MatrixRow[] = [];
  for (const faulty of faultyServers) {
    progress.step(rows.length + 1, faultyServers.length, faulty.name);
    rows.push(await judge(clean, faulty));
  }
  progress.end();
  const toBeProved = {
    checks: isSelection ? [] : allChecks.map(({ id }) => id),
    requirements: readRequirements().flatMap(({ id, standing }) =>
      standing === 'tested' && (!isSelection || rows.some(({ failed }) => failed.includes(id))) ? [id] : [],
    ),
  };
  process.stdout.write(printMatrix(toBeProved, rows));
  process.exitCode = openPointsOf(toBeProved, rows).length === 0 ? 0 : 1;
}

/** The requirements that a faulty server is judged by: those of the checks that it names, or all. */
function scopeOf({ kills }: Mutant): readonly string[] {
  if (options.only !== '') return options.only.split(',');
  if (options.all || kills.length === 0) return [];
  return allChecks.filter(({ id }) => kills.includes(id)).flatMap(({ covers }) => covers);
}

async function judge(server: ReferenceServer, faulty: Mutant): Promise<MatrixRow> {
  const { mutant, changes } = countChanges(faulty);
  const running = await startFaulty(server, mutant);
  // Only where it is claimed: of any other server the profile waits for minutes.
  const hasLimits = allChecks.some(({ id, profile }) => profile !== undefined && faulty.kills.includes(id));
  try {
    const report = await judgeServer(
      runOptions(running.url, {
        hooks: { ...server.means.hooks, suspend: server.suspendCommand },
        wsUrl: running.wsUrl,
        eventSeconds: 1,
        ...walkOptions,
        only: scopeOf(faulty),
        profiles: options.limits || hasLimits ? ['limits'] : [],
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
      changes: changes(),
    };
    process.stderr.write(`${JSON.stringify(row)}\n`);
    return row;
  } finally {
    await running.close();
  }
}

/** Lets its author try a faulty server by hand. */
async function serve(server: ReferenceServer, [faulty, ...others]: readonly Mutant[]): Promise<void> {
  if (faulty === undefined || others.length > 0) throw new Error('--serve takes a --name that one faulty server has.');
  const running = await startFaulty(server, faulty);
  const { grant, clock } = server.means.hooks;
  const hooks = `--grant-command "${grant}" --clock-command "${clock}" --suspend-command "${server.suspendCommand}"`;
  process.stdout.write(
    `npm run conformance -- --base-url ${running.url} --ws-url ${running.wsUrl} ${hooks} --no-pace\n`,
  );
  await once(process, 'SIGINT');
  await running.close();
}
