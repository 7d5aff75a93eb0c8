import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { setUpCheckout } from './set-up.mjs';

// A separate checkout with the real launcher and a program that prints its arguments. The folder's name contains
// spaces.
const base = realpathSync(mkdtempSync(join(tmpdir(), 'agent-platform-run-')));
const root = join(base, 'a check out');
const elsewhere = join(base, 'where the user stands');
const program = `
import { DatabaseSync } from 'node:sqlite';
import { getHeapStatistics } from 'node:v8';
new DatabaseSync(':memory:').close();
const [what, ...rest]: string[] = process.argv.slice(2);
process.emitWarning('a warning of its own');
if (what === 'exit') process.exitCode = Number(rest[0]);
if (what === 'wait') {
  process.on('SIGTERM', () => { console.log('stopped'); process.exit(7); });
  setInterval(() => {}, 1000);
}
const heapMiB = getHeapStatistics().heap_size_limit / 2 ** 20;
console.log(JSON.stringify({ what, rest, cwd: process.cwd(), heapMiB }));
`;

beforeAll(async () => {
  const ours = fileURLToPath(new URL('..', import.meta.url));
  await setUpCheckout(ours, () => {});
  for (const folder of ['scripts', 'cli/src', 'server/src/process']) mkdirSync(join(root, folder), { recursive: true });
  mkdirSync(elsewhere);
  const launcher = ['run', 'set-up', 'set-up-step', 'set-up-lock', 'set-up-pins', 'set-up-tools'].map(
    (name) => `scripts/${name}.mjs`,
  );
  for (const file of [...launcher, 'server/src/process/heap-flags.mjs']) cpSync(join(ours, file), join(root, file));
  symlinkSync(join(ours, '.runtime'), join(root, '.runtime'));
  for (const file of ['cli/src/main.ts', 'server/src/main.ts']) writeFileSync(join(root, file), program);
  writeFileSync(join(root, 'package.json'), '{ "name": "check-out", "private": true, "type": "module" }');
  writeFileSync(join(root, 'pnpm-workspace.yaml'), 'packages: []\n');
  writeFileSync(join(root, 'pnpm-lock.yaml'), "lockfileVersion: '9.0'\n\nimporters:\n\n  .: {}\n");
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

function start(args: readonly string[], env: Readonly<Record<string, string>> = {}): ChildProcess {
  return spawn(process.execPath, [join(root, 'scripts/run.mjs'), ...args], {
    cwd: base,
    env: { ...process.env, INIT_CWD: elsewhere, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

const run = (...args: readonly string[]) => runWith({}, ...args);

async function runWith(env: Readonly<Record<string, string>>, ...args: readonly string[]) {
  const child = start(args, env);
  let out = '';
  let err = '';
  child.stdout?.on('data', (chunk: Buffer) => (out += chunk.toString()));
  child.stderr?.on('data', (chunk: Buffer) => (err += chunk.toString()));
  const [code]: unknown[] = await once(child, 'close');
  return { code, out, err };
}

describe('the launcher', () => {
  it('installs what is missing, reports that only on stderr, and is silent afterwards', async () => {
    const first = await run('agentp', 'hello');
    const second = await run('agentp', 'hello');

    expect(first.err).toContain('Installing the packages of all programs');
    expect(second.err).not.toContain('Installing');
    expect(second.out).toBe(first.out);
    expect(JSON.parse(first.out)).toMatchObject({ what: 'hello' });
  });

  it('passes arguments on unchanged', async () => {
    const { out } = await run('agentp', 'say', 'two words', "it's", '--json', '');

    expect(JSON.parse(out)).toMatchObject({ what: 'say', rest: ['two words', "it's", '--json', ''] });
  });

  it('starts the client in the folder of the user and the server in the root', async () => {
    expect(JSON.parse((await run('agentp')).out)).toMatchObject({ cwd: elsewhere });
    expect(JSON.parse((await run('start')).out)).toMatchObject({ cwd: root });
  });

  it('starts a program of the user as an example, with the Node.js of the checkout', async () => {
    writeFileSync(join(elsewhere, 'own.ts'), program);

    expect(JSON.parse((await run('example', 'own.ts', 'hello')).out)).toMatchObject({ what: 'hello', cwd: elsewhere });
  });

  it('starts the server with a limited heap, unless another limit is given', async () => {
    const { heapMiB } = JSON.parse((await run('start')).out);
    expect(heapMiB).toBe(1_024 + 48);

    const given = await runWith({ NODE_OPTIONS: '--max-old-space-size=1500' }, 'start');
    expect(JSON.parse(given.out).heapMiB).toBe(1_500 + 48);
  });

  it('hides only the expected warnings', async () => {
    const { err } = await run('agentp');

    expect(err).not.toContain('ExperimentalWarning');
    expect(err).toContain('a warning of its own');
  });

  it('exits as its command does', async () => {
    expect(await run('agentp', 'exit', '9')).toMatchObject({ code: 9 });
  });

  it('lets its command stop cleanly on a signal', async () => {
    const child = start(['agentp', 'wait']);
    if (child.stdout === null) throw new Error('The launcher has no output.');
    await once(child.stdout, 'data');
    child.kill('SIGTERM');

    expect(await once(child, 'close')).toEqual([7, null]);
  });

  it.each([
    ['a command that does not exist', 'fly', 'There is no command "fly"'],
    ['a name that every object has', 'constructor', 'There is no command "constructor"'],
    ['an example without its name', 'example', 'There is no command "example"'],
  ])('refuses %s and says what to do', async (_name, command, message) => {
    const { code, out, err } = await run(command);

    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toContain(message);
  });
});
