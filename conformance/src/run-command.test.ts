import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { refusal } from '../testing/faults.ts';
import { startProxy, startReplyServer } from '../testing/proxy.ts';
import { type ReferenceServer, startReferenceServer, unlimitedSettings } from '../testing/reference-server.ts';
import { runCommand } from './run-command.ts';

let server: ReferenceServer;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'conformance-command-'));
  server = await startReferenceServer(unlimitedSettings);
});

afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true });
});

async function runExactly(...args: readonly string[]) {
  let out = '';
  let err = '';
  const output = { out: (text: string) => (out += text), err: (text: string) => (err += text) };
  const exitCode = await runCommand(args, output);
  return { exitCode, out, err };
}

const run = (...args: readonly string[]) => runExactly(...args, '--no-pace');
const joinReports = (...args: readonly string[]) => runExactly('join', ...args);

describe('the command', () => {
  it('judges only the selection, with only the registrations for it', async () => {
    const { exitCode, out } = await run('--base-url', server.url, '--only', 'AP-TOKEN-001');

    expect(exitCode).toBe(0);
    expect(out).toContain('1 passed, 0 failed, 0 error, 0 not tested, 0 not applicable');
    expect(out).toContain('1 registration,');
  });

  it('skips what its options exclude', async () => {
    const file = join(folder, 'skipped.json');
    await run('--base-url', server.url, '--only', 'AP-TOKEN,AP-ME', '--skip', 'AP-ME', '--report', `json=${file}`);

    const ids: string[] = JSON.parse(readFileSync(file, 'utf8')).requirements.map(({ id }: { id: string }) => id);
    expect(ids).toContain('AP-TOKEN-001');
    expect(ids.filter((id) => !id.startsWith('AP-TOKEN'))).toEqual([]);
  });

  it('joins the reports of two runs into one result, with its exit code', async () => {
    const files = ['one', 'other', 'joined'].map((name) => join(folder, `${name}.json`));
    const [one = '', other = '', joined = ''] = files;
    await run('--base-url', server.url, '--only', 'AP-TOKEN-001', '--report', `json=${one}`);
    await run('--base-url', server.url, '--only', 'AP-ME-001,AP-TOKEN-010', '--report', `json=${other}`);
    const { exitCode, out } = await joinReports(one, other, '--report', `json=${joined}`);

    expect(exitCode).toBe(3);
    expect(out).toMatch(/NOT TESTED {2}AP-TOKEN-010 .*\n2 reports: incomplete: \d+ not judged\n$/);
    expect((await joinReports(joined, one)).exitCode).toBe(3);
    expect((await joinReports()).err).toContain('join takes the JSON reports of runs');
    expect((await joinReports(folder)).err).toContain('is not a report of a run');
    expect((await joinReports(one, '--report', 'html=x')).err).toContain('join writes json=FILE and badge=FILE');
  });

  it.each([
    ['a requirement is named that is not there', ['--only', 'AP-NONE'], 'AP-NONE is not a requirement'],
    ['nothing is left to judge', ['--only', 'AP-REG-017'], 'at most'],
    [
      'a report cannot be written',
      ['--only', 'AP-TOKEN-001', '--report', 'json=/no/such/folder/r'],
      'cannot be written',
    ],
    ['an option is wrong', ['--report', 'x'], '--report takes'],
  ])('ends with 2 when %s', async (_when, args, says) => {
    const { exitCode, err } = await run('--base-url', server.url, ...args);

    expect(exitCode).toBe(2);
    expect(err).toContain(says);
  });

  it('exits with 2 if no server answers', async () => {
    const gone = await startReplyServer(() => ({ status: 200, headers: {}, body: '' }));
    await gone.close();

    const { exitCode, err } = await run('--base-url', gone.url);

    expect(exitCode).toBe(2);
    expect(err).toContain('no answer');
  });

  it('exits with 2 if the pool belongs to another server, and does not change the pool', async () => {
    const pool = join(folder, 'other.json');
    const text = JSON.stringify({ version: 1, base_url: 'http://other.example', recordings: {}, attempts: [] });
    writeFileSync(pool, text);

    const { exitCode, err } = await run('--base-url', server.url, '--agents', pool);

    expect(exitCode).toBe(2);
    expect(err).toContain('belongs to the server at http://other.example');
    expect(readFileSync(pool, 'utf8')).toBe(text);
  });

  it.each([
    ['closed', 'registration_unavailable', 'registration is closed'],
    ['by invitation', 'invalid_invitation', 'requires an invitation: use --invitation'],
    ['by another invitation', 'invalid_invitation', 'refused the invitation', '--invitation', 'used-up'],
    ['over its limit', 'registration_limited', 'run the suite again later'],
  ])('fails no server whose registration is %s, and says what is needed', async (_how, code, needs, ...args) => {
    const proxy = await startProxy(server.url, {
      onRequest: (request) => (request.path.endsWith('/register') ? refusal(403, code) : request),
    });
    const { exitCode, out } = await run('--base-url', proxy.url, '--skip', 'AP-REG-016', ...args);
    await proxy.close();

    expect(exitCode).toBe(3);
    expect(out).toContain(needs);
    expect(out).not.toContain('FAILED');
  });

  it('names the failure in every report and shows the exchange', async () => {
    const files = ['json', 'junit'].map((kind) => join(folder, `failed.${kind}`));
    const teapot = await startReplyServer(() => ({ status: 418, headers: {}, body: '<a "b" & \u0000c>' }));
    const reports = ['--report', `json=${files[0]}`, '--report', `junit=${files[1]}`];
    const { exitCode, out } = await run('--base-url', teapot.url, ...reports);
    await teapot.close();

    const [json = '', junit = ''] = files.map((file) => readFileSync(file, 'utf8'));
    expect(exitCode).toBe(1);
    expect(out).toContain('FAILED  AP-REG-001');
    expect(out).toContain('418 <a');
    expect(JSON.parse(json)).toMatchObject({ format: 'agent-platform-conformance/1', exit_code: 1 });
    expect(junit).toContain(
      '<failure message="failed: registration.answer: POST /api/v1/bots/register: 418 instead of 201',
    );
    expect(junit.match(/<testcase/g)).toHaveLength(JSON.parse(json).requirements.length);
  });
});
