import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openLiveWorld } from '../../world/live-world.ts';
import { SkippedError } from '../expectations.ts';
import { openRedaction } from '../redaction.ts';
import { makeHooks, noHooks } from './hooks.ts';
import { runHook } from './run-hook.ts';

const world = openLiveWorld();

const id = '01a1fdfe-a3da-71f8-80aa-a1c60dcc3174';
const node = `'${process.execPath}'`;
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'conformance-hooks-'));
});

afterAll(() => rmSync(folder, { recursive: true }));

function program(name: string, source: string): string {
  const file = join(folder, `${name}.mjs`);
  writeFileSync(file, source);
  return `${node} '${file}'`;
}

describe('a hook', () => {
  it('receives the agent and the amount, each as one word', async () => {
    const file = join(folder, 'granted');
    const grant = program(
      'grant',
      `import { writeFileSync } from 'node:fs'; writeFileSync('${file}', process.argv.slice(2).join('|'));`,
    );
    const hooks = makeHooks(
      { ...noHooks, grant: `${grant} --to={bot_id} {amount_minor}` },
      undefined,
      openRedaction(world),
      world,
    );

    await hooks.grant(id, 400);

    expect(readFileSync(file, 'utf8')).toBe(`--to=${id}|400`);
  });

  it('never receives an invalid id from a server', async () => {
    const file = join(folder, 'never');
    const grant = `${program('write', `import { writeFileSync } from 'node:fs'; writeFileSync('${file}', '');`)} {bot_id} {amount_minor}`;
    const hooks = makeHooks({ ...noHooks, grant }, undefined, openRedaction(world), world);

    await expect(hooks.grant('--help; rm -r /', 4)).rejects.toThrow(SkippedError);
    expect(existsSync(file)).toBe(false);
  });

  it('that is not configured, fails or does not exist leaves the check untested, with a reason without secrets', async () => {
    const redaction = openRedaction(world);
    redaction.hide('a-known-secret');
    const failing = `${program('fail', "console.error('no a-known-secret'); process.exit(3)")} {bot_id} {amount_minor}`;
    const grants = (grant: string | undefined) =>
      makeHooks({ ...noHooks, grant }, undefined, redaction, world).grant(id, 4);

    await expect(grants(undefined)).rejects.toThrow('no --grant-command was given');
    await expect(grants(failing)).rejects.toThrow('--grant-command ended with 3: no [secret]');
    await expect(grants('/no/such/program {bot_id} {amount_minor}')).rejects.toThrow('could not be started');
  });

  it('has a time limit, after which it and its child processes are killed', async () => {
    const pidFile = join(folder, 'pid');
    const command = program(
      'hang',
      `import { spawn } from 'node:child_process'; import { writeFileSync } from 'node:fs';
       const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
       writeFileSync('${pidFile}', String(child.pid)); setInterval(() => {}, 1000);`,
    );

    expect(await runHook(command, {}, 2_000)).toEqual({ did: 'fail', why: 'did not end within 2 s' });
    const pid = Number(readFileSync(pidFile, 'utf8'));
    await vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow(), { timeout: 120_000 });
  });

  it('may print more than the suite reads', async () => {
    const command = program('loud', "process.stdout.write('x'.repeat(10_000_000), () => process.exit(0))");
    const outcome = await runHook(command, {}, 20_000);

    expect(outcome.did === 'work' && outcome.text.length).toBe(64 * 1024);
  });
});

describe('an invitation', () => {
  it('is the given code or a new one from the command, and no report shows it', async () => {
    const redaction = openRedaction(world);
    const invitation = program('invite', "console.log('fresh-code-1234')");

    expect(await makeHooks(noHooks, 'a-given-code', redaction, world).invitation()).toBe('a-given-code');
    expect(await makeHooks({ ...noHooks, invitation }, undefined, redaction, world).invitation()).toBe(
      'fresh-code-1234',
    );
    expect(redaction.apply('code fresh-code-1234')).toBe('code [secret]');
  });

  it('must be a single code', async () => {
    const invitation = program('chatty', "console.log('your code: x')");
    const hooks = makeHooks({ ...noHooks, invitation }, undefined, openRedaction(world), world);

    await expect(hooks.invitation()).rejects.toThrow('did not print exactly one code');
  });
});
