import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startProxy, toStreamUrl } from '../../testing/proxy.ts';
import { type ReferenceServer, startReferenceServer } from '../../testing/reference-server.ts';
import { timeRequirements } from '../../testing/time-requirements.ts';
import { unpacedLimits } from '../context/budget/limits.ts';
import { runOptions } from '../context/options.ts';
import { runCommand } from '../run-command.ts';
import { judgeServer } from './suite.ts';

// These rules cannot be judged here, because the server has fewer agents than fit on a page.
const ofManyAgents = ['AP-SEARCH-017', 'AP-CONTACT-031'];
const ofLaterRuns = ['AP-REG-005', 'AP-REG-008', 'AP-REG-024', 'AP-REG-025'];
const ofSuspension = ['AP-CARD-010', 'AP-SEARCH-018', 'AP-CONTACT-032', 'AP-ORDER-022', 'AP-ORDER-080'];
const beside = [...ofManyAgents, ...ofLaterRuns, ...ofSuspension];
/** Without pacing, except for registrations, which this test's server limits. */
const limits = { ...unpacedLimits, registrationsPerHour: 10 };

let server: ReferenceServer;
let folder: string;

beforeAll(async () => {
  // Only registrations are limited as specified: other limits would make the tests wait.
  server = await startReferenceServer({
    PLATFORM_WRITES_PER_MINUTE: '0',
    PLATFORM_CONTACT_REQUESTS_PER_MINUTE: '0',
    PLATFORM_MESSAGES_PER_MINUTE: '0',
    PLATFORM_REQUESTS_PER_ADDRESS_PER_MINUTE: '0',
  });
  folder = mkdtempSync(join(tmpdir(), 'conformance-'));
});

afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true });
});

describe('the reference server with the specified registration limit', () => {
  const verdictsOf = async (baseUrl: string, options: Parameters<typeof runOptions>[1]) => {
    const all = { ...server.means, limits };
    const report = await judgeServer(runOptions(baseUrl, { ...all, ...options }));
    const ofVerdicts = (...verdicts: readonly string[]) =>
      report.requirements.filter(({ verdict }) => verdicts.includes(verdict));
    const bad = ofVerdicts('failed', 'error', 'not tested');
    return {
      report,
      bad: bad.map(({ requirement, reason }) => `${requirement.id}: ${reason}`),
      unjudged: ofVerdicts('not judged').map(({ requirement }) => requirement.id),
    };
  };

  it('passes everything, including the decisions, with nine registrations, and then with one', async () => {
    const agentsFile = join(folder, 'pool.json');

    // Other tests make faulty servers with this proxy, so it must not cause failures itself.
    const proxy = await startProxy(server.url, {});
    const first = await verdictsOf(proxy.url, { wsUrl: toStreamUrl(proxy.url), strict: true, agentsFile });
    await proxy.close();
    expect(first.bad).toEqual([]);
    // A run without a clock command is complete, but names the requirements that need one.
    expect(new Set(first.unjudged)).toEqual(new Set([...timeRequirements, ...beside]));
    expect(first.report.exitCode).toBe(0);
    expect(first.report.spent.registrations).toBe(9);
    expect(statSync(agentsFile).mode & 0o777).toBe(0o600);

    // A pool is valid for only one address, so the address of the proxy is replaced by the server's.
    writeFileSync(agentsFile, readFileSync(agentsFile, 'utf8').replaceAll(proxy.url, server.url));
    const second = await runWithReports(agentsFile);
    expect(second.exitCode).toBe(0);
    expectUnjudged(second);
    expect(JSON.parse(second.json).spent.registrations).toBe(1);
    expectNoSecrets(second.all, readFileSync(agentsFile, 'utf8'));

    // All ten attempts of this hour are used, so checks that need a new agent are not tested.
    const third = await verdictsOf(server.url, { agentsFile, only: ['AP-TOKEN', 'AP-CONTACT'] });
    expect(third.report.spent.registrations).toBe(0);
    expect(third.report.exitCode).toBe(3);
    expect(third.bad.join('\n')).toContain('no registration attempt is left in this hour');
    const untested = third.report.checks.filter(({ verdict }) => verdict === 'not tested');
    expect(untested.filter(({ recordedAt }) => recordedAt !== undefined)).toEqual([]);
  });

  it('reports what was not tested if it reaches the limit unexpectedly', async () => {
    const { report, bad } = await verdictsOf(server.url, {});

    expect(report.exitCode).toBe(3);
    expect(bad.join('\n')).toContain('registration_limited');
  });
});

async function runWithReports(agentsFile: string) {
  const kinds = ['json', 'junit', 'html', 'markdown'];
  const fileOf = (kind: string) => join(folder, `report.${kind}`);
  const { wsUrl, hooks } = server.means;
  let written = '';
  const output = { out: (text: string) => (written += text), err: (text: string) => (written += text) };
  const exitCode = await runCommand(
    [
      ...['--base-url', server.url, '--ws-url', wsUrl, '--grant-command', hooks.grant],
      ...['--agents', agentsFile, '--no-pace', '--registrations-per-hour', '10', '--strict'],
      ...kinds.flatMap((kind) => ['--report', `${kind}=${fileOf(kind)}`]),
    ],
    output,
  );
  const texts = kinds.map((kind) => readFileSync(fileOf(kind), 'utf8'));
  const [json = '', junit = '', html = '', markdown = ''] = texts;
  return { exitCode, written, json, junit, html, markdown, all: [written, ...texts].join('\n') };
}

function expectUnjudged({ written, json, junit, html, markdown }: Awaited<ReturnType<typeof runWithReports>>): void {
  const ids = JSON.parse(json).requirements.flatMap((row: { readonly id: string; readonly verdict: string }) =>
    row.verdict === 'not judged' ? row.id : [],
  );
  expect(ids).toHaveLength(21);
  const ofTime = ids.filter((id: string) => !beside.includes(id));
  // The console report names only the first six of these requirements, every other report all of them.
  const shown = `${ofTime.slice(0, 6).join(' ')} and ${ofTime.length - 6} more`;
  expect(written).toContain(`NOT JUDGED  ${shown}\n  it needs a clock command, and no --clock-command was given\n`);
  for (const id of ids) for (const text of [markdown, html]) expect(text).toContain(id);
  for (const text of [written, markdown, html])
    expect(text).toContain('All judged requirements passed. Not judged: 21.');
  for (const text of [written, markdown]) expect(text).toContain('0 not tested, 21 not judged, ');
  expect(html).toContain('<dt>not judged</dt><dd>21</dd>');
  expect(junit).toContain('<skipped>not judged: time.tokens: it needs a clock command');
}

function expectNoSecrets(all: string, pool: string): void {
  const secrets = [...pool.matchAll(/"(?:token|encryption_private_key)": "([^"]+)"/g)].map(([, secret = '']) => secret);
  expect(all).toContain('AP-TOKEN-008');
  expect(all).not.toMatch(/apt_[\w-]{20}/);
  expect(secrets.length).toBeGreaterThan(3);
  for (const secret of secrets) expect(all).not.toContain(secret);
}
