import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useReferenceServer } from '../../../testing/expect-detected.ts';
import { requestWhen } from '../../../testing/faults.ts';
import { allMutants } from '../../../testing/mutants/all-mutants.ts';
import type { Fault } from '../../../testing/passing.ts';
import { startProxy } from '../../../testing/proxy.ts';
import { runCommand } from '../../run-command.ts';
import { Variables } from './variables.ts';

const server = useReferenceServer();
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'conformance-scripts-'));
});

afterAll(() => rmSync(folder, { recursive: true }));

const mutant = (name: string): Fault => {
  const found = allMutants.find((one) => one.name === name);
  if (found === undefined) throw new Error(`there is no faulty server "${name}"`);
  return found.fault();
};

/** Judges a requirement, runs the script of its failure, and returns the last status on the faulty and on the clean server. */
async function repeat(requirement: string, fault: Fault) {
  const proxy = await startProxy(server().url, fault);
  const report = join(folder, `${requirement}.json`);
  let out = '';
  const output = { out: (text: string) => (out += text), err: () => undefined };
  const args = ['--base-url', proxy.url, '--only', requirement, '--no-pace', '--report', `json=${report}`];
  args.push('--agents', join(folder, `${requirement}-pool.json`));
  try {
    expect(await runCommand(args, output)).toBe(1);
    const [failure] = JSON.parse(readFileSync(report, 'utf8')).failures;
    const scripts = join(folder, `${requirement}-scripts`);
    const bash = async (args: readonly string[], env = {}) => {
      const { stdout } = await promisify(execFile)('bash', args, { env: { ...process.env, ...env }, cwd: tmpdir() });
      return [...stdout.matchAll(/^HTTP\/1\.1 (\d+)/gm)].at(-1)?.[1];
    };
    const run = (address: string) => bash([join(scripts, failure.script.name)], { BASE_URL: address });
    // As it is pasted, while the pool has the token: with no variable that it does not set itself.
    const pasted = await bash(['-euc', /Command\n {4}(.*)/.exec(out)?.[1] ?? '']);
    expect(out).toContain(`bash ${join(scripts, failure.script.name)}`);
    return {
      failure,
      pasted,
      files: readdirSync(scripts),
      faulty: await run(proxy.url),
      clean: await run(server().url),
    };
  } finally {
    await proxy.close();
  }
}

describe('the script of a failure', () => {
  it('registers agents, makes what it needs, and sees the faulty answer again', async () => {
    const { failure, faulty, clean } = await repeat('AP-POST-018', mutant('lets everybody delete posts'));

    expect(failure).toMatchObject({ requirement: 'AP-POST-018', check: 'posts.foreign' });
    expect(failure.actual).toContain('200 instead of 404');
    expect([faulty, clean]).toEqual(['200', '404']);
    expect(failure.script.text).not.toMatch(/apt_/);
  });

  it('reads long bodies from its own folder', async () => {
    const refusesLong = requestWhen(
      ({ path, body }) => path === '/api/v1/bots/me' && body.length > 4_000,
      () => ({ status: 413, headers: {}, body: '' }),
    );
    const { failure, files, pasted, faulty, clean } = await repeat('AP-ME-006', refusesLong);

    expect([pasted, faulty, clean]).toEqual(['413', '413', '200']);
    // The registration and the update.
    expect(failure.script.files).toHaveLength(2);
    expect(files).toEqual([...failure.script.files, failure.script.name].toSorted());
  });
});

describe('a text in a script', () => {
  it('means nothing but itself to the shell', async () => {
    const text = `it's $HOME \`id\` "$(id)" \\ ! * {a,b} ORDER-ID`;
    const variables = new Variables();
    variables.name('ORDER-ID', 'ORDER');
    const { stdout } = await promisify(execFile)('bash', ['-c', `ORDER=5; printf %s ${variables.quoted(text)}`]);

    expect(stdout).toBe(text.replace('ORDER-ID', '5'));
  });
});
