import { once } from 'node:events';
import * as fs from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { openProfiles } from '@agent-platform/cli-core/credentials/profiles';
import { UsageError } from '@agent-platform/cli-core/errors/failure';
import { makeTextLayout } from '@agent-platform/cli-core/output/layout';
import { parseCommandLine } from '@agent-platform/cli-core/program/parse-command-line';
import { version } from '@agent-platform/cli-core/version';
import { readSettings } from '@agent-platform/server';
import { copyEmptyDatabase } from '@agent-platform/testing/embedded-database';
import { measureSlowdown } from '@agent-platform/testing/quiet-time';
import { expect, it } from 'vitest';
import { openMachine } from '../../../testing/agentp.ts';
import { captureIo } from '../../../testing/captured-io.ts';
import { runCli } from '../../index.ts';
import { catalogue } from '../catalogue.ts';
import { runDev } from './dev.ts';
import { devDataSchema, makeReadyItem } from './dev-output.ts';
import { findServerPackage } from './find-server.ts';
import { findRunningDevFolder, parseGrant } from './grant-credits.ts';
import {
  type DevServer,
  dataFolderOf,
  disabledLimits,
  logFileOf,
  makePortInUseFailure,
  startDevServer,
  startOnPort,
} from './server-process.ts';

/** Starts `agentp dev` in a folder that already contains a database, which saves the time to create one. */
function startDev(port?: number, isInMemory = false) {
  const folder = fs.mkdtempSync(join(tmpdir(), 'agentp-dev-'));
  copyEmptyDatabase(dataFolderOf(folder));
  const interruption = new AbortController();
  const { io, stderr } = captureIo({ signal: interruption.signal });
  const parsed = parseCommandLine(['dev'], io, catalogue);
  if (parsed.kind !== 'work') throw new Error('agentp dev does not parse.');
  const session = { io, options: parsed.options, profiles: openProfiles({ env: {}, homeFolder: '/nowhere' }) };
  const items = runDev({ port, isInMemory }, session, folder);
  return { folder, items, stderr, interrupt: () => interruption.abort(new Error('interrupted')) };
}

it('makes two friends with a finished order, and removes its files at the end', async () => {
  const { folder, items, interrupt } = startDev();
  const { value: ready } = await items.next();
  const { home, url, agents, order, try: lines } = Object(ready?.data);

  expect(order).toMatchObject({ state: 'closed', outcome: 'accepted' });
  expect(agents).toMatchObject([
    { profile: 'alice', available_minor: 98_900 },
    { profile: 'bob', available_minor: 101_000 },
  ]);
  expect(Object.keys(devDataSchema.properties ?? {})).toEqual(expect.arrayContaining(Object.keys(Object(ready?.data))));

  const text = ready?.format(makeTextLayout(captureIo({ columns: 80 }).io, 'stdout', { color: false })) ?? '';
  expect(text).toMatch(/^ {2}credits +alice paid 11\.00: 10\.00 to bob, 1\.00 commission$/m);
  expect(text).toMatch(/^ {2}limits off {2,}registrations, .{0,70}event connections$/m);

  // The suggested commands work with the printed folder.
  const machine = openMachine(home, url);
  for (const line of lines.filter((line: string) => /agentp (orders|messages|contacts|register)/.test(line))) {
    const [, words = ''] = /agentp (.*)/.exec(line) ?? [];
    await machine.data([...words.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? ''));
  }
  expect(await machine.data(['contacts', 'list', '--profile', 'bob'])).toMatchObject({ contacts: [{}, {}] });

  const { io, stdout } = captureIo({ env: { AGENTP_HOME: home } });
  const grant = (...words: string[]) => runCli(['dev', 'credits', 'grant', ...words, '--json'], io);
  expect(await grant('bob', '50')).toBe(0);
  expect(JSON.parse(stdout())).toEqual({
    status: 'granted',
    agent: 'bob',
    amount_minor: 5_000,
    available_minor: 106_000,
  });
  expect(await grant('nobody', '50')).toBe(1);
  expect(stdout()).toMatch(/"message":"There is no agent \\"nobody/);

  const ended = items.next();
  interrupt();
  expect((await ended).value?.data).toEqual({ status: 'removed' });
  expect(fs.existsSync(folder)).toBe(false);
  await expect(fetch(url)).rejects.toThrow();
});

it('has the same agents and order in memory, in less than a second', async () => {
  const { items, stderr, interrupt } = startDev(undefined, true);
  await import('@agent-platform/sdk/testing');
  const startMs = performance.now();
  const { value: ready } = await items.next();
  const milliseconds = performance.now() - startMs;
  const { home, url, agents, order, try: lines } = Object(ready?.data);

  expect(milliseconds).toBeLessThan(1_000 * measureSlowdown());
  expect(stderr()).toContain('nothing is stored, and files are not inspected');
  expect(order).toMatchObject({ state: 'closed', outcome: 'accepted' });
  expect(agents).toMatchObject([
    { profile: 'alice', available_minor: 98_900 },
    { profile: 'bob', available_minor: 101_000 },
  ]);
  expect(lines.filter((line: string) => /operator|credits grant/.test(line))).toEqual([]);
  expect(await openMachine(home, url).data(['contacts', 'list', '--profile', 'bob'])).toMatchObject({ contacts: [{}] });

  const ended = items.next();
  interrupt();
  expect((await ended).value?.data).toEqual({ status: 'removed' });
  await expect(fetch(url)).rejects.toThrow();
});

it.each([
  ['agentp', 'agent-platform-server operator'],
  ['npx @agent-platform/cli', 'npx @agent-platform/server operator'],
])('prints no line of more than 100 columns (%s)', (agentp, operator) => {
  const id = '019ab000-0000-7000-8000-000000000000';
  const amounts = { total_minor: 1_100, amount_minor: 1_000, fee_minor: 100 };
  const order = { ...amounts, id, state: 'closed', customer: { handle: 'alice' }, contractor: { handle: 'bob' } };
  const folder = '/tmp/agentp-dev-abcdef';
  const ready = {
    isInMemory: false,
    url: 'http://127.0.0.1:54321',
    folder,
    home: `${folder}/home`,
    agents: [],
    seconds: 3,
  };
  const item = makeReadyItem({ ...ready, order: order as never, programs: { agentp, operator } });
  const lines = item.format(makeTextLayout(captureIo({ columns: 100 }).io, 'stdout', { color: false })).split('\n');

  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(100);
});

it('finds the running platform on which to grant credits', () => {
  const place = fs.mkdtempSync(join(tmpdir(), 'agentp-dev-test-'));
  const make = (name: string) => {
    fs.mkdirSync(dataFolderOf(join(place, name)), { recursive: true });
    fs.writeFileSync(join(dataFolderOf(join(place, name)), 'operator.sock'), '');
    return join(place, name);
  };
  const find = (home = '/home/user/.agentp') => findRunningDevFolder({ AGENTP_HOME: home }, place);
  expect(find).toThrow(expect.objectContaining({ code: 'dev_not_found' }));
  make('server-of-another');
  const one = make('agentp-dev-one');
  expect(find()).toBe(one);
  const other = make('agentp-dev-other');
  expect(find).toThrow(expect.objectContaining({ hint: expect.stringContaining('AGENTP_HOME') }));
  expect(find(join(other, 'home'))).toBe(other);
  fs.rmSync(place, { recursive: true });
});

it.each([
  ['credits'],
  ['credits', 'grant', 'bob'],
  ['credits', 'grant', 'bob', 'all'],
  ['grant', 'bob', '5', '6', '7'],
])('refuses %j', (...words) => {
  expect(() => parseGrant(words)).toThrow(UsageError);
});

it('refuses --base-url for a grant of credits, which only the server of this machine can make', () => {
  expect(() => parseGrant(['credits', 'grant', 'bob', '50'], 'http://127.0.0.1:8498')).toThrow(UsageError);
  expect(parseGrant(['credits', 'grant', 'bob', '50'])).toEqual({ agent: 'bob', amountMinor: 5_000 });
});

it('switches off every limit on registrations, requests and connections of the server', () => {
  const settings = readSettings(Object.fromEntries(disabledLimits.map((name) => [name, '0'])));
  const limits = Object.entries(settings).filter(([name]) => /Per(Minute|Hour)$|^eventConnections/.test(name));

  expect(limits).toHaveLength(disabledLimits.length);
  expect(limits.filter(([, limit]) => limit !== 0)).toEqual([]);
});

it('reports a port that is in use, and cleans up', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { folder, items } = startDev((other.address() as AddressInfo).port);

  await expect(items.next()).rejects.toMatchObject({ code: 'port_in_use' });

  expect(fs.existsSync(folder)).toBe(false);
  other.close();
});

it('ends the server and removes its folder when the channel to its parent ends, even during the start', async () => {
  const folder = fs.mkdtempSync(join(tmpdir(), 'agentp-dev-'));
  const { entry } = findServerPackage([import.meta.filename], version, '');
  const server = startDevServer(entry, folder, 0);

  // `stop` closes the channel, and would only kill the process after ten minutes.
  await server.stop(600_000);

  expect(fs.existsSync(folder)).toBe(false);
});

it('keeps an empty database for the next start, and starts without one', { timeout: 300_000 }, async () => {
  const cache = fs.mkdtempSync(join(tmpdir(), 'agentp-cache-'));
  const kept = join(cache, `empty-database-${version}`);
  const { entry } = findServerPackage([import.meta.filename], version, '');
  const start = async () => {
    const folder = fs.mkdtempSync(join(tmpdir(), 'agentp-dev-'));
    const server = startDevServer(entry, folder, 0, cache);
    await server.url;
    const log = fs.readFileSync(logFileOf(folder), 'utf8');
    await server.stop();
    return log;
  };
  expect(await start()).not.toContain('creating the embedded database');
  expect(fs.readdirSync(cache).filter((name) => name.startsWith('empty-database'))).toEqual([basename(kept)]);
  const madeAt = fs.statSync(join(kept, 'PG_VERSION')).mtimeMs;
  expect(await start()).not.toContain('No empty database');
  expect(fs.statSync(join(kept, 'PG_VERSION')).mtimeMs).toBe(madeAt);
  fs.rmSync(kept, { recursive: true });
  fs.symlinkSync('/nowhere', kept);
  expect(await start()).toContain('No empty database');
  fs.rmSync(cache, { recursive: true });
});

it('uses a free port when another program uses the default port, but not when the user named the port', async () => {
  const makeServer = (port: number): DevServer => ({
    url: port === 0 ? Promise.resolve('http://127.0.0.1:9') : Promise.reject(makePortInUseFailure('In use.')),
    grant: async () => undefined,
    ended: new Promise(() => undefined),
    stop: async () => void told.push(`stop ${port}`),
  });
  const told: string[] = [];
  const start = (isNamed: boolean) => startOnPort(makeServer, { port: 8080, isNamed }, (text) => told.push(text));

  expect(await start(false)).toMatchObject({ url: 'http://127.0.0.1:9' });
  expect(told).toEqual(['Port 8080 is now in use; using a free one.', 'stop 8080']);
  await expect(start(true)).rejects.toMatchObject({ code: 'port_in_use' });
});

it('distinguishes a port in use from other failures of the server', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const folder = fs.mkdtempSync(join(tmpdir(), 'agentp-dev-'));
  copyEmptyDatabase(dataFolderOf(folder));
  const { entry } = findServerPackage([import.meta.filename], version, '');

  const server = startDevServer(entry, folder, (other.address() as AddressInfo).port);

  await expect(server.url).rejects.toMatchObject({ code: 'port_in_use' });
  other.close();
});
