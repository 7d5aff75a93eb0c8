import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startReferenceServerForTests } from '../../../testing/expect-detected.ts';
import { changeRequests } from '../../../testing/faults.ts';
import { allMutants } from '../../../testing/mutants/all-mutants.ts';
import { generatedFaults } from '../../../testing/operators/all-generated.ts';
import type { Fault } from '../../../testing/passing.ts';
import { startProxy } from '../../../testing/proxy.ts';
import { startReferenceServer } from '../../../testing/reference-server.ts';
import { runCommand } from '../../run-command.ts';
import { selectShellHelpers } from './helpers.ts';
import { ScriptVariables } from './variables.ts';

const server = startReferenceServerForTests();
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'conformance-scripts-'));
});

afterAll(() => rmSync(folder, { recursive: true }));

const mutant = (name: string): Fault => {
  const found = [...allMutants, ...generatedFaults].find((one) => one.name === name);
  if (found === undefined) throw new Error(`there is no faulty server "${name}"`);
  return found.fault();
};

/** Runs a script against a server; returns the last answer and the last line that it prints. */
async function bash(args: readonly string[], env: Readonly<Record<string, string>>) {
  const { stdout } = await promisify(execFile)('bash', args, { env: { ...process.env, ...env }, cwd: tmpdir() });
  const status = [...stdout.matchAll(/^HTTP\/1\.1 (\d+)/gm)].at(-1)?.[1];
  return { status, ending: stdout.trimEnd().split('\n').at(-1) };
}

/** Judges a requirement, then runs the script of its failure against the faulty and the correct server. */
async function repeat(requirement: string, fault: Fault, clean = server().url, pace = ['--no-pace']) {
  const proxy = await startProxy(clean, fault);
  const stem = join(folder, requirement.replace(/,.*/, ''));
  const [report, pool] = [`${stem}.json`, `${stem}-pool.json`];
  let out = '';
  const output = { out: (text: string) => (out += text), err: () => undefined };
  const args = ['--base-url', proxy.url, '--only', requirement, ...pace, '--report', `json=${report}`];
  try {
    expect(await runCommand([...args, '--agents', pool], output)).toBe(1);
    const [failure] = JSON.parse(readFileSync(report, 'utf8')).failures;
    const scripts = `${stem}-scripts`;
    const script = join(scripts, failure.script.name);
    expect(out).toContain(`bash ${script}`);
    expect(failure.script.text).not.toMatch(/apt_/);
    return {
      failure,
      out,
      files: readdirSync(scripts),
      requests: failure.script.text.match(/^(send|curl) /gm).length,
      // The command is pasted while the pool still contains the token; it sets all its variables itself.
      pasted: await bash(['-euc', /Command\n {4}(.*)/.exec(out)?.[1] ?? ''], {}).catch(() => undefined),
      // The script runs twice: in the second run, the handles of the first one are already registered.
      faulty: [await bash([script], { BASE_URL: '' }), await bash([script], { BASE_URL: '' })],
      clean: await bash([script], { BASE_URL: clean }),
      unpooled: await bash([script], { POOL: '', BASE_URL: clean }).catch(() => undefined),
    };
  } finally {
    await proxy.close();
  }
}

describe('the script of a failure', () => {
  it.each([
    ['AP-REG-007', 'turns handles into lower case', '201', '400', 1],
    ['AP-REG-009', 'gives one handle twice', '201', '409', 1],
    ['AP-REG-012', 'reads base64 without its padding', '201', '400', 1],
    ['AP-LIMIT-001', 'a body has one byte less than the limit', '413', '200', 1],
    ['AP-POST-018', 'deletePost serves strangers', '200', '404', 5],
    ['AP-ORDER-024', 'createOrder compares no title', '200', '409', 4],
    ['AP-MESSAGE-023', 'server forgets at once a nonce', '201', '409', 2],
  ])(
    'reproduces the fault of %s in each run, with only the necessary requests: %s',
    async (requirement, name, bad, good, most) => {
      const { failure, requests, faulty, clean, unpooled } = await repeat(requirement, mutant(name));

      expect(faulty.map(({ status }) => status)).toEqual([bad, bad]);
      expect(faulty[0]?.ending).toBe(`The failure is reproduced if the answer above shows it: ${failure.actual}`);
      expect([clean.status, unpooled?.status]).toEqual([good, good]);
      expect(requests, failure.script.text).toBeLessThanOrEqual(most);
    },
  );

  it('uses the agents of the pool if the server registers no more', async () => {
    const limited = await startReferenceServer({ PLATFORM_REGISTRATIONS_PER_ADDRESS_PER_HOUR: '9' });
    try {
      const fault = mutant('a body has one byte less than the limit');
      const scope = 'AP-REG,AP-LIMIT-001,AP-CONTACT-002';
      const { out, faulty, clean } = await repeat(scope, fault, limited.url, []);

      expect(out).toContain('\n9 registrations,');
      expect([...faulty, clean].map(({ status }) => status)).toEqual(['413', '413', '200']);
    } finally {
      await limited.stop();
    }
  });

  it('reads long bodies from the folder of the script', async () => {
    const refusesLong = changeRequests(
      ({ path, body }) => path === '/api/v1/bots/me' && body.length > 4_000,
      () => ({ status: 413, headers: {}, body: '' }),
    );
    const { failure, files, pasted, faulty, clean } = await repeat('AP-ME-006', refusesLong);

    expect([pasted?.status, faulty[0]?.status, clean.status]).toEqual(['413', '413', '200']);
    expect(failure.script.files).toHaveLength(1);
    expect(files).toEqual([...failure.script.files, failure.script.name].toSorted());
  });
});

describe('a function of a script', () => {
  const call = (line: string, env: Readonly<Record<string, string>>) =>
    bash(['-euc', [...selectShellHelpers(line), line].join('\n')], env);
  const id = '01A1FDFE-A3DA-71F8-80AA-A1C60DCC3174';

  it('passes only a UUID of the server to the command of a hook', async () => {
    const hook = (bot: string) => call('hook "$GRANT" "$BOT" 5', { GRANT: 'echo {bot_id} {amount_minor}', BOT: bot });

    expect((await hook(id)).ending).toBe(`${id} 5`);
    await expect(hook('$(echo breach >&2)')).rejects.toThrow('The id $(echo breach >&2) is not a UUID');
    expect((await call('hook "$CLOCK" 60', { CLOCK: 'echo {seconds}' })).ending).toBe('60');
  });

  it('finds a contact_id in capitals, and names an answer without one', async () => {
    const agents = { TOKEN_A: 'a', TOKEN_B: 'b', BOT_A: 'a-bot', BOT_B: 'b-bot', BASE_URL: '' };
    const befriend = (answer: string) =>
      call(`befriend A B\necho "$ANSWER"`, { ...agents, 'BASH_FUNC_curl%%': `() { echo '${answer}' "$@"; }` });

    expect((await befriend(`{"contact_id":"${id}"}`)).ending).toContain(`/contacts/${id}/accept`);
    await expect(befriend('{"error":{}}')).rejects.toThrow('has no contact_id: {"error":{}}');
  });
});

describe('a text in a script', () => {
  it('is a literal in the shell', async () => {
    const text = `it's $HOME \`id\` "$(id)" \\ ! * {a,b} ORDER-ID`;
    const variables = new ScriptVariables();
    variables.name('ORDER-ID', 'ORDER');
    const { stdout } = await promisify(execFile)('bash', ['-c', `ORDER=5; printf %s ${variables.quoted(text)}`]);

    expect(stdout).toBe(text.replace('ORDER-ID', '5'));
  });
});
