import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Fault } from '../../testing/passing.ts';
import { startProxy, toStreamUrl } from '../../testing/proxy.ts';
import { startIndependentServer } from '../../testing/servers/start-independent-server.ts';
import { runCommand } from '../run-command.ts';
import { type Bundle, hashBundle, type RecordEntry } from './bundle.ts';

// Covers HTTP, events, sealed messages, files and rotated tokens, and a requirement that `indiscreet` violates.
const violated = 'AP-BOT-005';
const only = [violated, 'AP-ME-0', 'AP-TOKEN-00', 'AP-EVENT-001', 'AP-EVENT-010', 'AP-MESSAGE-00', 'AP-FILE-020'];

let folder: string;
let genuine: Bundle;
let bundleText: string;
const secrets = new Set<string>();

/** A server that returns each token in many encodings and violates the requirement above. */
const indiscreet: Fault = {
  onReply: (reply, { headers, path }) => {
    const { authorization = '' } = headers;
    const token = authorization.replace('Bearer ', '');
    for (const [, secret = ''] of reply.body.matchAll(/"token": ?"([^"]+)"/g)) secrets.add(secret);
    const echo = [token, token.toUpperCase(), Buffer.from(token).toString('base64'), encodeURIComponent(token)].join(
      ' ',
    );
    const replied = { ...reply, headers: { ...reply.headers, 'x-echo': echo } };
    if (path !== '/api/v1/bots/me') return replied;
    return { ...replied, body: reply.body.replace('"ai_bot"', '"human"') };
  },
};

const fileOf = (name: string) => join(folder, name);

async function run(...args: readonly string[]) {
  let written = '';
  const output = { out: (text: string) => (written += text), err: (text: string) => (written += text) };
  const exitCode = await runCommand(args, output);
  return { exitCode, written };
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'bundle-'));
  const server = await startIndependentServer();
  const proxy = await startProxy(server.url, indiscreet);
  const address = ['--base-url', proxy.url, '--ws-url', toStreamUrl(proxy.url), '--event-seconds', '3'];
  const recorded = ['--agents', fileOf('pool.json'), '--report', `bundle=${fileOf('genuine.json.gz')}`];
  const { exitCode, written } = await run(...address, ...recorded, '--no-pace', '--only', only.join());
  await proxy.close();
  await server.stop();
  expect(exitCode, written).toBe(1);
  bundleText = gunzipSync(readFileSync(fileOf('genuine.json.gz'))).toString('utf8');
  genuine = JSON.parse(bundleText);
});

afterAll(() => rmSync(folder, { recursive: true }));

async function verify(change: Partial<Bundle> | ((bundle: Bundle) => Bundle)) {
  const changed = typeof change === 'function' ? change(genuine) : { ...genuine, ...change };
  const file = fileOf('changed.json');
  writeFileSync(file, JSON.stringify({ ...changed, hash: hashBundle(changed) }));
  return await run('verify', file);
}

const withVerdict = (bundle: Bundle, from: string, to: string): Bundle => ({
  ...bundle,
  report: JSON.parse(JSON.stringify(bundle.report).replaceAll(`"verdict":"${from}"`, `"verdict":"${to}"`)),
});

/** The record with its first matching entry changed; if `change` returns undefined, the entry is removed. */
function changeFirst(
  has: (entry: RecordEntry) => boolean,
  change: (entry: RecordEntry) => RecordEntry | undefined,
): readonly RecordEntry[] {
  const at = genuine.record.findIndex(has);
  expect(at).toBeGreaterThan(-1);
  return genuine.record.flatMap((entry, index) => (index === at ? (change(entry) ?? []) : entry));
}

describe('a bundle', () => {
  it('is judged again without the server, with the same verdicts', async () => {
    const { exitCode, written } = await run('verify', fileOf('genuine.json.gz'));

    const { requirements } = genuine.report as { readonly requirements: readonly { readonly verdict: string }[] };
    const count = requirements.length;
    expect(written).toContain(
      `${count} of ${count} verdicts were judged again. The verdicts follow from the exchanges.`,
    );
    expect(exitCode).toBe(0);
    for (const some of ['passed', 'failed']) expect(requirements.map(({ verdict }) => verdict)).toContain(some);
  });

  it('contains no token, no private key, and nothing derived from them', () => {
    const pool = readFileSync(fileOf('pool.json'), 'utf8');
    for (const [, secret = ''] of pool.matchAll(/"(?:token|encryption_private_key)": "([^"]+)"/g)) secrets.add(secret);

    expect(secrets.size).toBeGreaterThan(6);
    const lower = bundleText.toLowerCase();
    for (const secret of secrets) {
      for (const writing of [secret, encodeURIComponent(secret), Buffer.from(secret).toString('hex')])
        expect(lower).not.toContain(writing.toLowerCase());
      expect(bundleText).not.toContain(Buffer.from(secret).toString('base64url').slice(0, -2));
    }
    expect(bundleText).toContain('x-echo');
  });

  it('with a forged verdict is detected, and the verdict is named', async () => {
    const { exitCode, written } = await verify((bundle) => withVerdict(bundle, 'failed', 'passed'));

    expect(exitCode).toBe(1);
    expect(written).toContain(`${violated} is "passed" in the bundle, but "failed" according to its exchanges: `);
  });

  it('with a changed answer is detected, because the answer is judged', async () => {
    // Excludes requests, because the suite also sends one that contains `human`.
    const isAnswer = (entry: RecordEntry) =>
      !('asks' in entry) && JSON.stringify(entry).includes(String.raw`\"human\"`);
    const correct = (entry: RecordEntry) =>
      JSON.stringify(entry).replaceAll(String.raw`\"human\"`, String.raw`\"ai_bot\"`);
    const record = genuine.record.map((entry) => (isAnswer(entry) ? JSON.parse(correct(entry)) : entry));
    const { exitCode, written } = await verify({ record });

    expect(exitCode).toBe(1);
    expect(written).toContain(`${violated} is "failed" in the bundle, but "passed" according to its exchanges`);
  });

  it('without an exchange, a frame or its last entry is detected', async () => {
    const asks = (entry: RecordEntry) => 'asks' in entry && entry.line === 'http 7';
    const without = await verify({
      record: genuine.record.filter((entry) => !('line' in entry && entry.line === 'http 7')),
    });
    const path = (genuine.record.find(asks) as { readonly asks: { readonly path: string } }).asks.path;
    expect(without.written).toMatch(/FORGED {2}The exchanges cannot be judged again: step \d+ of the run is/);
    expect(without.written).toContain(path);
    expect(without.written).toContain('An exchange was removed, added or changed.');
    const frames = await verify({
      record: changeFirst(
        (entry) => 'says' in entry,
        () => undefined,
      ),
    });
    expect(frames.written).toMatch(/step \d+ of the run is a frame on stream \d+/);
    const ended = await verify({ record: genuine.record.slice(0, -40) });
    expect(ended.written).toContain('cannot be judged again');
    expect([without, frames, ended].map(({ exitCode }) => exitCode)).toEqual([1, 1, 1]);
  });

  it('with a changed sealed message is detected', async () => {
    const { written, exitCode } = await verify({
      record: changeFirst(
        (entry) => 'value' in entry && entry.value === 'opened',
        (entry) => ({ ...entry, of: 'ff' }),
      ),
    });
    expect(written).toContain('is a value (opened), and the record has a value (opened)');
    expect(exitCode).toBe(1);
  });

  it('that was judged by another register, or was changed without its hash, is detected', async () => {
    const register = await verify({ register: 'f'.repeat(64) });
    expect(register.written).toContain('FORGED  The run was judged by a different register of requirements');
    writeFileSync(fileOf('unhashed.json'), JSON.stringify({ ...genuine, node: 'v0' }));
    const unhashed = await run('verify', fileOf('unhashed.json'));
    expect(unhashed.written).toContain('FORGED  The hash is wrong: the file was changed after it was made.');
    expect([register.exitCode, unhashed.exitCode]).toEqual([1, 1]);
  });

  it('of another version names the version that can judge it', async () => {
    const { exitCode, written } = await verify({ suite: { version: '9.9.9', digest: '' } });
    expect(written).toContain('Suite 9.9.9 made this bundle and can judge it again: npm run -s conformance -- verify');
    expect(exitCode).toBe(2);
  });

  it.each<readonly [string, string | Uint8Array | number, string]>([
    ['no JSON', 'no', 'its content is not a JSON object'],
    ['empty', '', 'its content is not a JSON object'],
    ['cut off', '{"format": "agent-platf', 'its content is not a JSON object'],
    ['a report', '{"format": "agent-platform-conformance/1"}', 'its "format" is not'],
    ['without a record', '{"format": "agent-platform-conformance-bundle/1"}', 'a damaged bundle: its "suite"'],
    ['cut off and packed', gzipSync('{"a": 1}').subarray(0, 12), 'cannot be read'],
    ['too large', 256 * 1024 * 1024 + 1, 'larger than 256 MiB'],
    ['too large when unpacked', gzipSync(Buffer.alloc(256 * 1024 * 1024 + 1), { level: 1 }), 'cannot be read'],
  ])('that is %s is refused with one sentence', async (_what, content, message) => {
    const file = fileOf('damaged');
    writeFileSync(file, typeof content === 'number' ? '' : content);
    if (typeof content === 'number') truncateSync(file, content);
    const { exitCode, written } = await run('verify', file);
    expect(written).toContain(message);
    expect(written.trim().split('\n')).toHaveLength(1);
    expect(exitCode).toBe(2);
  });

  it('must be a single existing file', async () => {
    expect((await run('verify', fileOf('absent'))).written).toContain('cannot be read: ENOENT');
    expect(await run('verify')).toEqual({ exitCode: 2, written: expect.stringContaining('verify takes one file') });
    expect((await run('client', '--command', 'true', '--report', `bundle=${fileOf('no')}`)).written).toContain(
      '--report bundle=FILE is for runs against a server.',
    );
  });
});
