import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { installInProject, packPackages, programEnvironment, root, runProgram } from '../published-packages.ts';

// `npm run lab -- first-minute [runs]`: measures how long a newcomer waits, in seconds or as a ratio to the time of
// another program. Requires Node.js and npm on the PATH; other work on the machine distorts the result. Saves the
// result in first-minute.json beside this file.

const { positionals } = parseArgs({ allowPositionals: true });
const runs = Number(positionals[0] ?? 3);
const folder = mkdtempSync(join(tmpdir(), 'agent-platform-minute-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
const home = join(folder, 'home');
const env = { ...programEnvironment, HOME: home, PORT: '8099', NODE_COMPILE_CACHE: '' };
// A checkout starts with the machine's Node.js; the packed packages run with this repository's version.
const paths = (programEnvironment['PATH'] ?? '').split(delimiter).filter((path) => !path.includes('/.runtime/'));
const ofMachine = { ...env, PATH: paths.join(delimiter) };
const rounds = 15;

console.error('Packing the packages …');
const packed = await packPackages(join(folder, 'packages'));
const tarballs = packed.map(({ tarball }) => tarball);
const installed = join(folder, 'installed');
await installInProject(installed, [...tarballs, 'openai']);
const agentp = join(installed, 'node_modules/.bin/agentp');

const measured = new Map<string, number[]>();
for (let at = 1; at <= runs; at += 1) {
  const row = (name: string, value: number) => {
    measured.set(name, [...(measured.get(name) ?? []), value]);
    console.error(`run ${at}: ${name}: ${value.toFixed(2)}`);
  };
  const [cold, warm] = [join(folder, 'cold'), join(folder, 'warm')];
  for (const place of [home, cold, warm]) rmSync(place, { recursive: true, force: true });
  for (const place of [cold, warm]) await runProgram('git', ['clone', '--quiet', root, place]);
  row('npm start, empty store (s)', await startServer(cold));
  row('npm start, warm store (s)', await startServer(warm));
  row('npm start, used folder (s)', await startServer(warm));
  const first = await startDev();
  row('agentp dev, the first time (s)', first.seconds);
  await end(first.child);
  const dev = await startDev();
  row('agentp dev (s)', dev.seconds);
  const devEnv = { ...env, AGENTP_HOME: dev.home };
  const start = (words: readonly string[]) => timeOf(agentp, words, devEnv);
  for (const words of [['whoami'], ['__complete', '--', 'wallet', 's'], ['completion', 'bash']])
    row(`agentp ${words[0]} / agentp --version`, await ratio(start, words, ['--version']));
  row('import of the SDK / import of openai', await ratio(importOf, '@agent-platform/sdk', 'openai'));
  await callByNpx(dev.url);
  rmSync(join(home, '.npm/_npx'), { recursive: true });
  row('npx of the packed CLI to the first answer, packages in the cache of npm (s)', await callByNpx(dev.url));
  await end(dev.child);
}

const rows = [...measured].map(([name, values]) => {
  const sorted = values.toSorted((one, other) => one - other).map((value) => Number(value.toFixed(2)));
  return { name, median: sorted[Math.floor(sorted.length / 2)], min: sorted[0], max: sorted.at(-1) };
});
for (const { name, median, min, max } of rows) console.log(`${name}: ${median} (${min} to ${max})`);
const commit = (await runProgram('git', ['rev-parse', '--short', 'HEAD'], { cwd: root })).stdout.trim();
const result = {
  commit,
  node: (await runProgram('node', ['--version'], { env: ofMachine })).stdout.trim(),
  runs,
  rows,
};
writeFileSync(join(root, 'scripts/lab/first-minute.json'), `${JSON.stringify(result, null, 2)}\n`);

/** Returns the seconds until the server was ready. */
async function startServer(clone: string): Promise<number> {
  const startedAt = performance.now();
  const child = spawn('npm', ['start'], {
    cwd: clone,
    env: ofMachine,
    stdio: ['ignore', 'pipe', 'ignore'],
    detached: true,
  });
  await untilPrinted(child, 'http://127.0.0.1:8099');
  const seconds = (performance.now() - startedAt) / 1_000;
  await end(child);
  return seconds;
}

async function startDev() {
  const startedAt = performance.now();
  const child = spawn(agentp, ['dev', '--json'], { env, stdio: ['ignore', 'pipe', 'ignore'], detached: true });
  const line = await untilPrinted(child, '"status":"ready"');
  const { url, home: devHome } = JSON.parse(line);
  return { child, seconds: (performance.now() - startedAt) / 1_000, url: String(url), home: String(devHome) };
}

/** Registers an agent from an empty folder with the packages that npx installs. */
async function callByNpx(url: string): Promise<number> {
  const place = mkdtempSync(join(folder, 'npx-'));
  const packages = tarballs.filter((path) => /-(cli|sdk|contract)-/.test(path)).flatMap((path) => ['--package', path]);
  const handle = `npx_${Date.now()}`;
  const words = ['--yes', '--prefer-offline', ...packages, 'agentp', 'register', '--handle', handle];
  const own = { ...env, AGENTP_HOME: place };
  return (await timeOf('npx', [...words, '--display-name', 'Newcomer', '--base-url', url], own, place)) / 1_000;
}

async function importOf(name: string): Promise<number> {
  const code = `const at = performance.now(); await import('${name}'); console.log(performance.now() - at);`;
  return Number((await runProgram('node', ['--input-type=module', '-e', code], { cwd: installed, env })).stdout);
}

async function timeOf(program: string, words: readonly string[], own: NodeJS.ProcessEnv, cwd = folder) {
  const startedAt = performance.now();
  await runProgram(program, [...words], { env: own, cwd });
  return performance.now() - startedAt;
}

/** Alternates the two measurements and returns the ratio of their medians; the first round is a warm-up. */
async function ratio<T>(measure: (what: T) => Promise<number>, one: T, other: T): Promise<number> {
  const times: [number, number][] = [];
  for (let round = 0; round <= rounds; round += 1) times.push([await measure(one), await measure(other)]);
  const median = (side: 0 | 1) =>
    times
      .slice(1)
      .map((turn) => turn[side])
      .toSorted((a, b) => a - b)[rounds >> 1] ?? 0;
  return median(0) / median(1);
}

async function untilPrinted(child: ChildProcess, text: string): Promise<string> {
  let printed = '';
  for await (const chunk of child.stdout ?? []) {
    printed += String(chunk);
    const line = printed.split('\n').find((each) => each.includes(text));
    if (line !== undefined) return line;
  }
  throw new Error(`${child.spawnargs.join(' ')} has ended.`);
}

async function end(child: ChildProcess): Promise<void> {
  const closed = once(child, 'close');
  if (child.pid !== undefined) process.kill(-child.pid, 'SIGTERM');
  await closed;
}
