import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { Worker } from 'node:worker_threads';
import { makeTestFolder } from '@agent-platform/testing/test-folder';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openEmbeddedStore } from '../../../testing/embedded-store.ts';
import { systemClock } from '../../platform/clock.ts';
import { newId } from '../../platform/crypto.ts';
import { makeLogger } from '../../platform/logger.ts';
import { readSettings } from '../../platform/settings/settings.ts';
import type { Store } from '../../store/store.ts';
import { OperatorFailure } from '../failure.ts';
import type { OperatorDependencies } from '../parts.ts';
import { readKeyHeaders } from './operator-key.ts';
import { type OperatorSocket, openOperatorSocket } from './operator-socket.ts';
import { sendCommand } from './send-command.ts';

let root: string;
let dataDir: string;
let open: OperatorSocket[];

beforeEach(() => {
  root = makeTestFolder();
  dataDir = join(root, 'data');
  open = [];
});
afterEach(async () => {
  for (const socket of open) await socket.close();
});

const absent = () => Promise.reject(new Error('There is no database here.'));
const unused = async () => undefined;
const unusedParts = { accessChanged: unused, announce: unused, clockMoved: unused, withFiles: absent, journal: absent };

/** The database of this server never responds, because the socket itself does not need it. */
async function listen(folder = dataDir, store?: OperatorDependencies['store']) {
  const lines: Buffer[] = [];
  const stream = new PassThrough().on('data', (line: Buffer) => lines.push(line));
  const socket = await openOperatorSocket({
    settings: readSettings({ PLATFORM_DATA_DIR: folder }),
    clock: systemClock,
    machineClock: systemClock,
    log: makeLogger('info', { stream, isTerminal: false }),
    store: store ?? { upToDate: absent, migrate: absent, asItIs: unused },
    ...unusedParts,
    process: { env: {}, nodeVersion: process.version, uid: process.getuid?.() },
    server: { url: 'http://platform.test', local_url: 'http://127.0.0.1:1', started_at: '2026-11-21T00:00:00.000Z' },
  });
  if (socket !== undefined) open.push(socket);
  return { socket, logged: () => Buffer.concat(lines).toString() };
}

/** Leaves a socket file without a listener, as after kill -9. */
async function leaveStaleSocket(path: string): Promise<void> {
  const server = createServer().listen(path);
  await once(server, 'listening');
  // When a listener closes, it removes the path to which it was bound, so a renamed file remains.
  renameSync(path, `${path}.kept`);
  server.close();
  await once(server, 'close');
  renameSync(`${path}.kept`, path);
}

const send = (folder = dataDir) => sendCommand(folder, { name: 'config', answerWithinMs: 60_000 }, {});

describe('the operator socket', () => {
  it('passes on the progress of a long command, and then its result', async () => {
    const store = await openEmbeddedStore();
    // Makes the first part of the check slow enough to cause a progress report.
    let reads = 0;
    const slow: Store = {
      ...store,
      read: async (work) => {
        reads += 1;
        if (reads === 2) await new Promise((resolve) => setTimeout(resolve, 2_100));
        return await store.read(work);
      },
    };
    try {
      await store.transact((writer) =>
        writer
          .insertInto('ledger_transactions')
          .values({ id: newId(), movement: 'grant', operation_id: newId(), order_id: null, created_at: new Date() })
          .execute(),
      );
      await listen(dataDir, { upToDate: async () => slow, asItIs: async () => slow, migrate: async () => [] });
      const told: string[] = [];
      const command = { name: 'ledger verify', answerWithinMs: 60_000 };
      const reply = await sendCommand(dataDir, command, {}, (text) => told.push(text));

      expect(told).toEqual(['verified 1 transactions']);
      expect(reply).toMatchObject({ isThere: true, succeeded: false, result: { fault_count: 1 } });
    } finally {
      await store.close();
    }
  });

  it('answers commands, and is removed when it closes', async () => {
    const { socket } = await listen();
    expect(await send()).toMatchObject({ isThere: true, result: { source: 'running server' } });
    await socket?.close();
    open = [];
    expect(existsSync(join(dataDir, 'operator.sock'))).toBe(false);
    expect(await send()).toEqual({ isThere: false });
  });

  it('is private, in a private folder', async () => {
    await listen();
    expect(statSync(join(dataDir, 'operator.sock')).mode & 0o777).toBe(0o600);
    expect(statSync(join(dataDir, 'operator.key')).mode & 0o777).toBe(0o600);
    expect(statSync(dataDir).mode & 0o777).toBe(0o700);
  });

  it('was never open to others, not even for a moment', async () => {
    mkdirSync(dataDir);
    // Another thread reads the mode of the socket as fast as possible and records every value.
    const seen = new Int32Array(new SharedArrayBuffer(12));
    const watcher = new Worker(
      `const { workerData: { path, seen } } = require('node:worker_threads');
       const { statSync } = require('node:fs');
       Atomics.store(seen, 1, 1);
       while (Atomics.load(seen, 1) === 1) {
         const found = statSync(path, { throwIfNoEntry: false });
         if (found === undefined) continue;
         Atomics.or(seen, 0, found.mode & 0o777);
         Atomics.add(seen, 2, 1);
       }`,
      { eval: true, workerData: { path: join(dataDir, 'operator.sock'), seen } },
    );
    await expect.poll(() => Atomics.load(seen, 1)).toBe(1);
    const before = process.umask(0);
    const givesUpAt = performance.now() + 20_000;
    while (Atomics.load(seen, 2) < 200 && performance.now() < givesUpAt) await (await listen()).socket?.close();
    process.umask(before);
    open = [];
    Atomics.store(seen, 1, 2);
    await once(watcher, 'exit');

    expect(Atomics.load(seen, 0).toString(8)).toBe('600');
  });

  it('replaces a socket that a killed server left', async () => {
    mkdirSync(dataDir);
    await leaveStaleSocket(join(dataDir, 'operator.sock'));
    expect(statSync(join(dataDir, 'operator.sock')).isSocket()).toBe(true);
    expect(await send()).toEqual({ isThere: false });

    await listen();
    expect(await send()).toMatchObject({ isThere: true });
  });

  it('stays with the first of two servers that share a folder; the second continues without', async () => {
    const first = await listen();
    const second = await listen();

    expect(first.socket).toBeDefined();
    expect(second.socket).toBeUndefined();
    expect(second.logged()).toMatch(/"level":40.*Give each server its own PLATFORM_DATA_DIR/);
    expect(await send()).toMatchObject({ isThere: true });
  });

  it('belongs to exactly one of ten servers that start concurrently over a stale socket', async () => {
    mkdirSync(dataDir);
    await leaveStaleSocket(join(dataDir, 'operator.sock'));
    const all = await Promise.all(Array.from({ length: 10 }, () => listen()));

    expect(all.filter(({ socket }) => socket !== undefined)).toHaveLength(1);
    expect(await send()).toMatchObject({ isThere: true });
  });

  it('does not remove a file that is no socket', async () => {
    mkdirSync(dataDir);
    writeFileSync(join(dataDir, 'operator.sock'), 'precious');
    const { socket, logged } = await listen();

    expect(socket).toBeUndefined();
    expect(logged()).toMatch(/is not a socket. Move it\./);
    expect(statSync(join(dataDir, 'operator.sock')).size).toBe(8);
  });

  it('works in a folder deeper than the path of a socket can be', async () => {
    const deep = join(root, 'd'.repeat(100), 'e'.repeat(100), 'data');
    const links = () => readdirSync(tmpdir()).filter((name) => name.startsWith('operator-'));
    const before = links();
    await listen(deep);

    expect(await send(deep)).toMatchObject({ isThere: true });
    expect(statSync(join(deep, 'operator.sock')).mode & 0o777).toBe(0o600);
    await open.pop()?.close();
    expect(existsSync(join(deep, 'operator.sock'))).toBe(false);
    expect(links()).toEqual(before);
  });

  it('prints the hint if no short link to a deep folder can be made', async () => {
    const before = process.env['TMPDIR'];
    process.env['TMPDIR'] = join(root, 'f'.repeat(120));
    try {
      await expect(send(join(root, 'd'.repeat(120)))).rejects.toThrow(/shorter PLATFORM_DATA_DIR/);
    } finally {
      if (before === undefined) delete process.env['TMPDIR'];
      else process.env['TMPDIR'] = before;
    }
  });
});

describe('a request to the operator socket', () => {
  async function post(body: string | Buffer, path = '/command', method = 'POST', headers = readKeyHeaders(dataDir)) {
    const asking = request({ socketPath: join(dataDir, 'operator.sock'), path, method, headers, agent: false });
    asking.end(body);
    const [response] = await once(asking, 'response');
    let text = '';
    for await (const chunk of response) text += String(chunk);
    return { status: Number(response.statusCode), body: JSON.parse(text) as unknown };
  }

  it.each([
    ['no JSON', '{', 'invalid_input'],
    ['no object', '[]', 'invalid_input'],
    ['a member too many', '{"command":"config","arguments":{},"as":"root"}', 'invalid_input'],
    ['an argument that the command does not take', '{"command":"config","arguments":{"x":1}}', 'invalid_input'],
    ['an argument of another type', '{"command":"agents list","arguments":{"limit":"5"}}', 'invalid_input'],
    ['an unknown command', '{"command":"constructor","arguments":{}}', 'not_found'],
    ['more than 5 MB', 'x'.repeat(5_000_001), 'body_too_large'],
  ])('is refused with its reason: %s', async (_, body, code) => {
    await listen();

    expect(await post(body)).toMatchObject({ status: 400, body: { error: { code } } });
    expect(await send()).toMatchObject({ isThere: true });
  });

  it('is refused to the same user without the key of this start', async () => {
    await listen();
    for (const authorization of ['', 'Bearer ', `Bearer ${'A'.repeat(43)}`]) {
      const refused = await post('{"command":"config","arguments":{}}', '/command', 'POST', { authorization });
      expect(refused).toMatchObject({ status: 400, body: { error: { code: 'unauthorized' } } });
    }
  });

  it('must be a POST of a command', async () => {
    await listen();

    const notFound = { status: 400, body: { error: { code: 'not_found' } } };
    expect([await post('', '/command', 'GET'), await post('{}', '/')]).toMatchObject([notFound, notFound]);
  });

  it('is aborted if it is not complete within seconds', async () => {
    await listen();
    const slow = connect(join(dataDir, 'operator.sock'));
    slow.write('POST /command HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\r\n{');
    slow.resume();

    await once(slow, 'close');
  });

  it('that causes a defect is logged, and the response reports it', async () => {
    const { logged } = await listen();

    await expect(sendCommand(dataDir, { name: 'agents list', answerWithinMs: 60_000 }, {})).rejects.toThrow(
      /failed; its log has the cause/,
    );
    expect(logged()).toMatch(/"level":50.*There is no database here/);
  });

  it('is finished before the socket closes', async () => {
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
    const { promise: mayEnd, resolve: end } = Promise.withResolvers<void>();
    const asItIs = async () => {
      begin();
      await mayEnd;
      return undefined;
    };
    const { socket } = await listen(dataDir, { upToDate: absent, migrate: absent, asItIs });
    const answer = send();
    await begun;
    const closing = socket?.close();
    open = [];
    end();

    expect(await answer).toMatchObject({ isThere: true });
    await closing;
  });

  it('has an unknown outcome when the server dies before it answers', async () => {
    mkdirSync(dataDir);
    const dying = createServer((socket) => socket.once('data', () => socket.destroy()));
    dying.listen(join(dataDir, 'operator.sock'));
    await once(dying, 'listening');

    const failure = await send().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(OperatorFailure);
    expect(failure).toMatchObject({ code: 'outcome_unknown' });
    dying.close();
  });
});
