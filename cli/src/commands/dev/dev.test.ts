import { once } from 'node:events';
import { existsSync, mkdtempSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openProfiles } from '@agent-platform/cli-core/credentials/profiles';
import { openPage } from '@agent-platform/cli-core/output/layout';
import { parseCommandLine } from '@agent-platform/cli-core/program/parse-command-line';
import { version } from '@agent-platform/cli-core/version';
import { readSettings } from '@agent-platform/server';
import { layEmptyDatabase } from '@agent-platform/testing/embedded-database';
import { expect, it } from 'vitest';
import { openMachine } from '../../../testing/agentp.ts';
import { captureIo } from '../../../testing/captured-io.ts';
import { catalogue } from '../catalogue.ts';
import { runDev } from './dev.ts';
import { devData } from './dev-output.ts';
import { findServer } from './find-server.ts';
import { type DevServer, dataFolderOf, limitsOff, portInUse, startDevServer, startOnPort } from './server-process.ts';

/** `agentp dev` in a folder whose database is there already, which saves its creation. */
function startDev(port?: number) {
  const folder = mkdtempSync(join(tmpdir(), 'agentp-dev-'));
  layEmptyDatabase(dataFolderOf(folder));
  const interruption = new AbortController();
  const { io, stderr } = captureIo({ signal: interruption.signal });
  const parsed = parseCommandLine(['dev'], io, catalogue);
  if (parsed.kind !== 'work') throw new Error('agentp dev does not parse.');
  const session = { io, options: parsed.options, profiles: openProfiles({ env: {}, homeFolder: '/nowhere' }) };
  const items = runDev(port, session, folder);
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
  expect(Object.keys(devData.properties ?? {})).toEqual(expect.arrayContaining(Object.keys(Object(ready?.data))));

  const text = ready?.format(openPage(captureIo({ columns: 80 }).io, 'stdout', { color: false })) ?? '';
  expect(text).toMatch(/^ {2}credits +alice paid 11\.00: 10\.00 to bob, 1\.00 commission$/m);
  expect(text).toMatch(/^ {2}limits off {2,}registrations, .{0,70}event connections$/m);

  // What it says to try works, from the folder that it names.
  const machine = openMachine(home, url);
  for (const line of lines.filter((line: string) => /agentp (orders|messages|contacts|register)/.test(line))) {
    const [, words = ''] = /agentp (.*)/.exec(line) ?? [];
    await machine.data([...words.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? ''));
  }
  expect(await machine.data(['contacts', 'list', '--profile', 'bob'])).toMatchObject({ contacts: [{}, {}] });

  const ended = items.next();
  interrupt();
  expect((await ended).value?.data).toEqual({ status: 'removed' });
  expect(existsSync(folder)).toBe(false);
  await expect(fetch(url)).rejects.toThrow();
});

it('switches off every limit on registrations, requests and connections of the server', () => {
  const settings = readSettings(Object.fromEntries(limitsOff.map((name) => [name, '0'])));
  const limits = Object.entries(settings).filter(([name]) => /Per(Minute|Hour)$|^eventConnections/.test(name));

  expect(limits).toHaveLength(limitsOff.length);
  expect(limits.filter(([, limit]) => limit !== 0)).toEqual([]);
});

it('says that a port is in use, and leaves nothing behind', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { folder, items } = startDev((other.address() as AddressInfo).port);

  await expect(items.next()).rejects.toMatchObject({ code: 'port_in_use' });

  expect(existsSync(folder)).toBe(false);
  other.close();
});

it('ends the server and removes its folder when the channel to its parent ends, also while it starts', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'agentp-dev-'));
  const { entry } = findServer([import.meta.filename], version, '');
  const server = startDevServer(entry, folder, 0);

  // Closing the channel is all that it does to the process in this time.
  await server.stop(600_000);

  expect(existsSync(folder)).toBe(false);
});

it('takes a free port when it loses the usual one to another program, and not when the port was named', async () => {
  const makeServer = (port: number): DevServer => ({
    url: port === 0 ? Promise.resolve('http://127.0.0.1:9') : Promise.reject(portInUse('In use.')),
    operate: async () => undefined,
    ended: new Promise(() => undefined),
    stop: async () => void told.push(`stop ${port}`),
  });
  const told: string[] = [];
  const start = (isNamed: boolean) => startOnPort(makeServer, { port: 8080, isNamed }, (text) => told.push(text));

  expect(await start(false)).toMatchObject({ url: 'http://127.0.0.1:9' });
  expect(told).toEqual(['Port 8080 was taken in the meantime; taking a free one.', 'stop 8080']);
  await expect(start(true)).rejects.toMatchObject({ code: 'port_in_use' });
});

it('tells a port that is taken from other failures of the server', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const folder = mkdtempSync(join(tmpdir(), 'agentp-dev-'));
  layEmptyDatabase(dataFolderOf(folder));
  const { entry } = findServer([import.meta.filename], version, '');

  const server = startDevServer(entry, folder, (other.address() as AddressInfo).port);

  await expect(server.url).rejects.toMatchObject({ code: 'port_in_use' });
  other.close();
});
