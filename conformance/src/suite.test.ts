import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ReferenceServer, startReferenceServer } from '../testing/reference-server.ts';
import { withoutPace } from './limits.ts';
import { runOptions } from './options.ts';
import { runCommand } from './run-command.ts';
import { judgeServer } from './suite.ts';

// Whole runs, on a machine that may be busy.
const wholeRunsTimeoutMs = 300_000;

let server: ReferenceServer;
let folder: string;

beforeAll(async () => {
  // Registrations have their stated limit; the rest would make the tests wait.
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

describe('the reference server with the stated limits of registration', () => {
  const verdictsOf = async (options: Parameters<typeof runOptions>[1]) => {
    const report = await judgeServer(runOptions(server.url, { ...server.means, limits: withoutPace, ...options }));
    const bad = report.requirements.filter(({ verdict }) => !['passed', 'not applicable'].includes(verdict));
    return { report, bad: bad.map(({ requirement, reason }) => `${requirement.id}: ${reason}`) };
  };

  it(
    'passes everything, its own decisions included, with nine registrations, and then with one',
    async () => {
      const agentsFile = join(folder, 'pool.json');

      const first = await verdictsOf({ strict: true, agentsFile });
      expect(first.bad).toEqual([]);
      expect(first.report.exitCode).toBe(0);
      expect(first.report.spent.registrations).toBe(9);
      expect(statSync(agentsFile).mode & 0o777).toBe(0o600);

      const second = await verdictsOf({ strict: true, agentsFile });
      expect(second.bad).toEqual([]);
      expect(second.report.exitCode).toBe(0);
      expect(second.report.spent.registrations).toBe(1);

      // Ten attempts are gone: what needs a new agent waits for another hour.
      const third = await verdictsOf({ agentsFile });
      expect(third.report.spent.registrations).toBe(0);
      expect(third.report.exitCode).toBe(3);
      expect(third.bad.join('\n')).toContain('no registration is left in this hour');
    },
    wholeRunsTimeoutMs,
  );

  it('says what was not tested when it meets the limit unprepared', async () => {
    const { report, bad } = await verdictsOf({});

    expect(report.exitCode).toBe(3);
    expect(bad.join('\n')).toContain('registration_limited');
  });
});

describe('the reports', () => {
  it('hold no token and no private key', async () => {
    const agentsFile = join(folder, 'pool.json');
    const files = ['json', 'junit'].map((kind) => join(folder, kind));
    let written = '';
    const output = { out: (text: string) => (written += text), err: (text: string) => (written += text) };
    const reports = ['--report', `json=${files[0]}`, '--report', `junit=${files[1]}`];

    const exitCode = await runCommand(
      ['--base-url', server.url, '--no-pace', '--agents', agentsFile, ...reports],
      output,
    );

    const pool = JSON.parse(readFileSync(agentsFile, 'utf8'));
    const all = [written, ...files.map((file) => readFileSync(file, 'utf8'))].join('\n');
    expect(exitCode).toBe(3);
    expect(all).toContain('AP-TOKEN-008');
    expect(all).not.toMatch(/apt_[\w-]{20}/);
    expect(all).not.toContain(pool.agent.token);
    expect(all).not.toContain(pool.agent.encryption_private_key);
  });
});
