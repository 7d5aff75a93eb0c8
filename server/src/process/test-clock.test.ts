import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectEvents } from '../../testing/event-client.ts';
import {
  type Installation,
  type Instance,
  makeInstallation,
  makeInstallationsSharingDatabase,
  readPassportStatus,
  register,
} from '../../testing/installation.ts';
import { day } from '../platform/clock.ts';
import { readSettings } from '../platform/settings/settings.ts';
import { testClockAheadMaxSeconds } from '../store/clock/stored-clock.ts';
import { chooseCommandNames, welcomeText } from './welcome.ts';

type Shared = Awaited<ReturnType<typeof makeInstallationsSharingDatabase>>;

const opened: Shared[] = [];
afterAll(async () => {
  for (const shared of opened) await shared.remove();
});

async function openShared(): Promise<Shared> {
  const shared = await makeInstallationsSharingDatabase();
  opened.push(shared);
  return shared;
}

const testClock = { PLATFORM_CLOCK: 'test' };
const monthSeconds = 30 * 86_400;

const read = async (url: string, path: string) => {
  const answer = await fetch(url + path);
  const { date } = Object.fromEntries(answer.headers);
  return { body: (await answer.json()) as unknown, dateMs: Date.parse(date ?? '') };
};

const daysAhead = (time: string | number) => Math.round((new Date(time).getTime() - Date.now()) / day);

describe('a test clock', () => {
  let installation: Installation;
  let server: Instance;
  beforeAll(async () => {
    installation = (await openShared()).install(testClock);
    server = await installation.start();
  });

  const advance = (...words: string[]) => installation.operator('clock', 'advance', ...words);

  it('moves only by whole seconds, from 1 to its limit', async () => {
    const tooLarge = [String(testClockAheadMaxSeconds + 1), '9'.repeat(20)];
    for (const seconds of ['-5', '0', '1.5', '1e3', 'NaN', 'soon', '', '１２', ...tooLarge])
      expect(await advance('--', seconds), seconds).toMatchObject({ exitCode: 2, out: '' });
    expect((await installation.operator('stats', '--json')).json()).toMatchObject({ test_clock: { ahead_seconds: 0 } });
  });

  it('moves forward for tokens, their connections, retention and the time sent to clients', async () => {
    const { token } = await register(server.url, 'alice');
    const { ended } = await connectEvents(server.url, { token });
    expect(await readPassportStatus(server.url, token)).toBe(200);
    const moved = (await advance(String(monthSeconds), '--json')).json() as { readonly now: string };

    expect(moved).toMatchObject({ seconds: monthSeconds, ahead_seconds: monthSeconds });
    expect(moved).toMatchObject({ removed: { messages: 0, events: 0, posts: 0, files: 0, tokens: 1 } });
    expect(daysAhead(moved.now)).toBe(30);
    expect(await readPassportStatus(server.url, token)).toBe(401);
    expect(await ended).toMatchObject({ code: 4401 });
    expect(daysAhead((await read(server.url, '/openapi.json')).dateMs)).toBe(30);
    expect((await installation.operator('audit', 'list', '--json')).json()).toMatchObject({
      acts: [{ command: 'clock advance', details: { seconds: monthSeconds, ahead_seconds: monthSeconds } }],
    });
    const later = await register(server.url, 'later');
    expect(await readPassportStatus(server.url, later.token)).toBe(200);
  });

  it('is reported by health, doctor, config and stats', async () => {
    for (const path of ['/health/live', '/health/ready'])
      expect((await read(server.url, path)).body).toMatchObject({ status: 'ok', clock: 'test' });
    const [doctor, config, stats] = [
      await installation.operator('doctor'),
      await installation.operator('config'),
      await installation.operator('stats'),
    ];
    expect(doctor.out).toMatch(/^ok {4}clock .*; the server has a test clock, 30 d ahead\.$/m);
    expect(config.out).toMatch(/^Clock: a test clock, 30 d ahead\.$/m);
    expect(config.out).toMatch(/^PLATFORM_CLOCK +test +set/m);
    expect(stats.out).toMatch(/^clock +a test clock, 30 d ahead$/m);
  });

  it('does not affect ledger ids, so that the whole ledger is verified', async () => {
    await installation.operator('ledger', 'verify');
    expect((await installation.operator('ledger', 'verify', '--since', 'last', '--json')).json()).toMatchObject({
      since: null,
      right: true,
    });
  });

  it('moves without a server, and at most by a thousand years', async () => {
    const settings = { ...installation.env, PLATFORM_CLOCK: 'system' };
    await server.stop();
    const moved = await advance('90061');
    expect(moved.out).toMatch(
      /^Moved the clock 1 d 1 h 1 min 1 s forward, to 20.* UTC; it is 31 d 1 h 1 min 1 s ahead\./,
    );
    expect(moved.out).toMatch(/Removed the content of 0 message\(s\) and 0 file\(s\)/);
    expect((await advance(String(testClockAheadMaxSeconds), '--json')).err).toContain('clock_limit');

    const system = makeInstallation(settings);
    await expect(system.start()).rejects.toThrow(/has a test clock that is 2682061 s ahead.*PLATFORM_CLOCK=test/);
    for (const words of [['stats'], ['clock', 'advance', '60']]) {
      const { err } = await system.operator(...words, '--json');
      expect(JSON.parse(err)).toMatchObject({ error: { code: 'foreign_clock' } });
    }
    expect((await system.operator('doctor')).out).toMatch(/^fail {2}clock .*has a test clock/m);
    expect((await installation.operator('backup', 'create')).exitCode).toBe(0);
    const restored = await system.operator('backup', 'restore', 'newest', '--replace');
    expect(restored.err).toContain('Restore it with PLATFORM_CLOCK=test');

    server = await installation.start();
    expect(daysAhead((await read(server.url, '/openapi.json')).dateMs)).toBe(31);
  });

  it('removes nothing if retention never runs', async () => {
    await server.stop();
    const never = makeInstallation({ ...installation.env, PLATFORM_RETENTION_EVERY_MINUTES: '0' });
    const moved = await never.operator('clock', 'advance', '60', '--json');
    expect(moved.json()).toMatchObject({ seconds: 60, removed: null });
    await never.stop();
  });

  it('does not move if nothing could be removed afterwards', async () => {
    const foreign = makeInstallation({ ...installation.env, PLATFORM_STORAGE_URL: `file://${installation.dataDir}-2` });
    const ahead = async () => (await installation.operator('stats', '--json')).json() as { test_clock: object };
    const before = await ahead();
    expect((await foreign.operator('clock', 'advance', '60')).exitCode).toBe(1);
    expect((await ahead()).test_clock).toEqual(before.test_clock);
    await foreign.stop();
  });
});

describe('the clock of the system', () => {
  it('is not moved, and its database refuses a test clock, also if an earlier version created it', async () => {
    const installation = (await openShared()).install();
    const { url, store, stop } = await installation.start();
    const moved = await installation.operator('clock', 'advance', '60', '--json');
    expect(moved.exitCode).toBe(1);
    expect(JSON.parse(moved.err)).toMatchObject({ error: { code: 'system_clock' } });

    const other = makeInstallation({
      ...installation.env,
      ...testClock,
      PLATFORM_DATA_DIR: `${installation.dataDir}-2`,
    });
    await expect(other.start()).rejects.toThrow(/created with the system clock.*Unset PLATFORM_CLOCK/);
    expect((await other.operator('migrate')).err).toContain('Unset PLATFORM_CLOCK');

    // Like a database of an earlier version, it stores no clock, but its agents prove that it was in use.
    await register(url, 'alice');
    await store.transact((writer) => writer.deleteFrom('platform_facts').where('name', '=', 'clock').execute());
    await stop();
    await expect(other.start()).rejects.toThrow(/created with the system clock/);
    await installation.start();
    await other.stop();
  });
});

describe('the test clock of two servers on one database', () => {
  it('moves for both servers', async () => {
    const shared = await openShared();
    // Without retention, which would remove the tokens and notify the other server.
    const noRetention = { PLATFORM_RETENTION_EVERY_MINUTES: '0' };
    const settings = { ...testClock, ...noRetention, PLATFORM_REGISTRATIONS_PER_HOUR: '1' };
    const one = shared.install(settings);
    const { url } = await one.start();
    const other = shared.install({ ...settings, PLATFORM_STORAGE_URL: `file://${one.dataDir}/files` });
    const second = await other.start();
    const { token } = await register(url, 'alice');
    expect((await register(second.url, 'bob')).status).toBe(429);
    const { ended } = await connectEvents(second.url, { token });
    expect(await readPassportStatus(second.url, token)).toBe(200);

    expect((await one.operator('clock', 'advance', String(monthSeconds))).exitCode).toBe(0);
    expect(await readPassportStatus(second.url, token)).toBe(401);
    expect((await register(second.url, 'bob')).status).toBe(201);
    expect(await ended).toMatchObject({ code: 4401 });

    // The second server detects the change with a timer and without a request.
    const later = await register(second.url, 'carol');
    const idle = await connectEvents(second.url, { token: later.token });
    let closing: unknown;
    idle.ended.then((end) => {
      closing = end;
    });
    await one.operator('clock', 'advance', String(monthSeconds));
    await expect.poll(() => closing).toMatchObject({ code: 4401 });
  });
});

describe('the welcome', () => {
  it('mentions a test clock, but no other clock', () => {
    const text = (clock: string) => welcomeText('http://127.0.0.1:8080', readSettings({ PLATFORM_CLOCK: clock }));

    expect(text('test')).toMatch(/^ {4}clock {6}a test clock; "npm run -s operator -- clock advance 3600" moves it/m);
    expect(text('system')).not.toContain('clock');
  });

  it('shows commands that work where the server was started', () => {
    const fromTarball = { agentp: 'agentp', operator: 'agent-platform-server operator' };
    const fromRegistry = { agentp: 'npx @agent-platform/cli', operator: 'npx @agent-platform/server operator' };

    expect(chooseCommandNames(true, false).agentp).toBe('npm run -s agentp --');
    expect(chooseCommandNames(false, false)).toEqual(fromTarball);
    expect(chooseCommandNames(false, true)).toEqual(fromRegistry);
  });
});
