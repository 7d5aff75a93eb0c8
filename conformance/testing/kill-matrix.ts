// `npm run lab -- kill-matrix`: every faulty server against the checks that claim to find it out, or with --all against every
// check. --name TEXT takes those whose name contains it, --part 1/4 a quarter of them. Those of `further/` name no check and
// meet every one: --further takes them alone, --file TEXT those of files with such a name, --own all others. --only IDS limits
// the requirements, --first IDS judges by these first, and by the whole suite where none of them fails; --limits adds the
// profile of that name, --serve starts the one faulty server that is left and waits for Ctrl-C. Each is a line of JSON on
// stderr as well; --rows FILE prints the matrix of such lines, from several parts perhaps.
// Ends with 1 when a check kills nothing, a tested requirement is failed by nothing, or a faulty server survives or fails too
// many requirements.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { allChecks, readRequirements, showProgress } from '@agent-platform/conformance';
import { readFurtherMutants } from './further-mutants.ts';
import { judgeMutant, startClean } from './judge-mutant.ts';
import { type MatrixRow, openPointsOf, printMatrix } from './matrix.ts';
import { allMutants, buildMutants } from './mutants/all-mutants.ts';
import { frameMutants } from './mutants/frame-mutants.ts';
import type { ReferenceServer } from './reference-server.ts';
import { type Mutant, startFaulty } from './start-faulty.ts';

const flag = { type: 'boolean', default: false } as const;
const { values: options } = parseArgs({
  options: {
    ...{ all: flag, further: flag, own: flag, limits: flag, serve: flag },
    ...{ part: { type: 'string', default: '1/1' }, name: { type: 'string', default: '' } },
    ...{ file: { type: 'string', default: '' }, only: { type: 'string', default: '' } },
    ...{ rows: { type: 'string', default: '' }, first: { type: 'string', default: '' } },
  },
});
const [part = 1, parts = 1] = options.part.split('/').map(Number);
const own = options.further || options.file !== '' ? [] : [...allMutants, ...buildMutants, ...frameMutants];
const further = options.own
  ? []
  : (await readFurtherMutants()).filter(({ file }) => file?.includes(options.file) === true);
const faultyServers: readonly Mutant[] = [...own, ...further]
  .filter(({ name }) => name.includes(options.name))
  .filter((_, at) => at % parts === part - 1);
const isSelection =
  options.further || parts > 1 || [options.name, options.file, options.only, options.first].some((text) => text !== '');

const progress = showProgress({
  columns: process.stderr.isTTY ? process.stderr.columns : undefined,
  write: (text) => process.stderr.write(text),
  now: () => performance.now(),
});
if (options.rows === '') {
  const clean = await startClean();
  await (options.serve ? serve(clean, faultyServers) : judgeAll(clean)).finally(() => clean.stop());
} else {
  const lines = readFileSync(options.rows, 'utf8').split('\n');
  conclude(lines.filter((line) => line.startsWith('{"name"')).map((line): MatrixRow => JSON.parse(line)));
}

async function judgeAll(server: ReferenceServer): Promise<void> {
  if (faultyServers.length === 0) {
    process.stderr.write('No faulty server matches. See testing/faults and testing/further.\n');
    process.exitCode = 2;
    return;
  }
  const rows: MatrixRow[] = [];
  for (const faulty of faultyServers) {
    progress.step(rows.length + 1, faultyServers.length, faulty.name);
    const row = await judgeInSteps(server, faulty);
    process.stderr.write(`${JSON.stringify(row)}\n`);
    rows.push(row);
  }
  progress.end();
  conclude(rows);
}

/** Most faults fail a requirement of their own area, which a part of a run finds. */
async function judgeInSteps(server: ReferenceServer, faulty: Mutant): Promise<MatrixRow> {
  const judge = (only: readonly string[]) => judgeMutant(server, faulty, { only, hasLimits: options.limits });
  if (options.first === '') return await judge(scopeOf(faulty));
  const row = await judge(options.first.split(','));
  return row.failed.length > 0 ? row : await judge(scopeOf(faulty));
}

function conclude(rows: readonly MatrixRow[]): void {
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
