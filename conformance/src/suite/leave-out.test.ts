import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startReferenceServerForTests } from '../../testing/expect-detected.ts';
import { refusal } from '../../testing/faults.ts';
import type { Fault, ProxiedRequest } from '../../testing/passing.ts';
import { startProxy, toStreamUrl } from '../../testing/proxy.ts';
import { authorizeEveryone } from '../../testing/stateful-faults.ts';
import { runCommand } from '../run-command.ts';

const server = startReferenceServerForTests();
const ajv = new Ajv2020({ allowUnionTypes: true });
addFormats.default(ajv);
const fitsSchema = ajv.compile(JSON.parse(readFileSync(new URL('../../report.schema.json', import.meta.url), 'utf8')));
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'conformance-parts-'));
});

afterAll(() => rmSync(folder, { recursive: true }));

/** Answers 404 to every request for a part of the API, and injects the given fault elsewhere. */
const lacking = (paths: RegExp, fault: Fault): Fault => ({
  ...fault,
  onRequest: (request) =>
    paths.test(request.path) ? refusal(404, 'not_found') : (fault.onRequest?.(request) ?? request),
  ...(paths.test('/ws/') ? { frames: { onUpgrade: () => 404 } } : {}),
});

interface Row {
  readonly id: string;
  readonly verdict: string;
  readonly reason: string;
}

async function judge(paths: RegExp, ...args: readonly string[]) {
  return await judgeWith(paths, {}, ...args);
}

async function judgeWith(paths: RegExp, fault: Fault, ...args: readonly string[]) {
  const file = join(folder, 'report.json');
  const proxy = await startProxy(server().url, lacking(paths, fault));
  let out = '';
  const output = { out: (text: string) => (out += text), err: (text: string) => (out += text) };
  const grant = ['--grant-command', server().means.hooks.grant];
  const given = ['--base-url', proxy.url, '--ws-url', toStreamUrl(proxy.url), ...grant, '--no-pace', ...args];
  const exitCode = await runCommand([...given, '--report', `json=${file}`], output).finally(() => proxy.close());
  const report = JSON.parse(readFileSync(file, 'utf8'));
  expect(fitsSchema(report), JSON.stringify(fitsSchema.errors)).toBe(true);
  const rows: readonly Row[] = report.requirements;
  const skipped = rows.filter(({ verdict, reason }) => verdict === 'not applicable' && reason.includes('skipped: '));
  return { exitCode, out, skipped: skipped.map(({ id }) => id) };
}

const files = /\/attachments/;

describe('a part that a server lacks', () => {
  it.each([
    ['files', files, 'AP-FILE-001', ['AP-VISIBLE-009', 'AP-POST-022']],
    ['posts', /\/v1\/posts/, 'AP-POST-001', ['AP-VISIBLE-008', 'AP-VERSION-001']],
    ['contacts', /\/contacts/, 'AP-CONTACT-002', ['AP-MESSAGE-001']],
    ['messages', /\/messages/, 'AP-MESSAGE-001', ['AP-CONTACT-030']],
    ['orders', /\/orders/, 'AP-ORDER-010', ['AP-WALLET-009', 'AP-EVENT-026']],
    ['wallet', /\/wallet/, 'AP-WALLET-001', ['AP-ORDER-054']],
    ['events', /\/ws\//, 'AP-EVENT-001', ['AP-VERSION-008']],
    ['search', /\/v1\/bots(\?|$)/, 'AP-SEARCH-001', ['AP-VERSION-001']],
  ])('can be declared: without %s nothing fails, and dependent checks are skipped', async (part, paths, id, others) => {
    const only = ['--only', [id, ...others, 'AP-ME-003'].join(',')];
    const declared = await judge(paths, ...only, '--without', part);

    expect(declared.out).not.toContain('FAILED');
    expect(declared.exitCode).toBe(0);
    expect(declared.skipped).toEqual(expect.arrayContaining([id, ...others]));
  });

  it('is also skipped by its area and in a strict run, and is not a stale baseline entry', async () => {
    const [config, baseline] = ['conformance.conf', 'baseline.txt'].map((name) => join(folder, name)) as [
      string,
      string,
    ];
    writeFileSync(baseline, 'AP-FILE-001 no files\nAP-VISIBLE-009 no files\n');
    writeFileSync(config, `skip = AP-FILE\nstrict = true\nbaseline = ${baseline}\n`);
    const only = ['--only', 'AP-FILE-001,AP-VISIBLE-009,AP-ME-003,AP-ORDER-099'];
    const { exitCode, out, skipped } = await judge(files, ...only, '--config', config);

    expect(out).not.toContain('FAILED');
    expect({ exitCode, skipped }).toEqual({ exitCode: 0, skipped: ['AP-VISIBLE-009'] });
  });

  it('has no observations in a strict run: events of contacts, and events that fill a connection', async () => {
    const ids = 'AP-ME-003,AP-TOKEN-008,AP-EVENT-048,AP-EVENT-051';
    const { exitCode, out } = await judge(/\/contacts/, '--strict', '--without', 'contacts', '--only', ids);

    expect({ exitCode, out }).toEqual({ exitCode: 0, out: expect.stringContaining('2 passed, 0 failed, 0 error') });
    expect(out).toContain('0 not tested, 2 not applicable');
  });

  it('hides no fault of other parts: posts of a closed profile', async () => {
    const isRead = ({ method, path }: ProxiedRequest) => method === 'GET' && path.startsWith('/api/v1/posts/');
    const shows = authorizeEveryone('post', isRead)();
    const { exitCode, out } = await judgeWith(files, shows, '--only', 'AP-VISIBLE-008', '--without', 'files');

    expect(exitCode).toBe(1);
    expect(out).toContain('FAILED  AP-VISIBLE-008');
  });

  it.each([
    ['messages', /\/messages/, 'AP-MESSAGE-001', 'AP-ERR-004 AP-MESSAGE-028'],
    ['stream', /\/ws\//, 'AP-EVENT-001', 'AP-EVENT-002 AP-VERSION-008'],
  ])('is one failure unless declared: no %s', async (_part, paths, id, others) => {
    const { out } = await judge(paths, '--only', [id, ...others.split(' ')].join(','));

    expect(out.match(/^FAILED {2}\S+/gm)).toEqual([`FAILED  ${id}`]);
    expect(out).toContain(`NOT JUDGED  ${others}\n  because of ${id}\n`);
  });

  it('fails unless it is declared, and the output advises declaring it', async () => {
    const { exitCode, out } = await judge(files, '--only', 'AP-FILE-001,AP-FILE-002,AP-FILE-004,AP-VISIBLE-009');

    expect(exitCode).toBe(1);
    expect(out).toContain('This server seems to have no files. If that is intended, declare it: --without files');
    expect(out).toContain('0 not tested, 3 not judged');
  });
});
