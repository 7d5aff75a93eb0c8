import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync } from 'node:fs';
import { connect } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import {
  freshDatabase,
  inheritedEnvironment,
  type ServerProcess,
  scaleRepetitions,
  startLoadAdjustedTimer,
  startServerProcess,
} from '@agent-platform/testing';
import { copyEmptyDatabase } from '@agent-platform/testing/embedded-database';
import { makeTestFolder } from '@agent-platform/testing/test-folder';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { findExposedEntries } from '../testing/open-entries.ts';
import { makeRegistration } from '../testing/test-server.ts';

// On an idle machine the server needs a third of this time, but other tests run at the same time.
const readyWithinMs = 15_000;

function newFolder(): string {
  const folder = makeTestFolder();
  copyEmptyDatabase(folder);
  return folder;
}

const noLimits = {
  PLATFORM_REGISTRATIONS_PER_ADDRESS_PER_HOUR: '0',
  PLATFORM_REGISTRATIONS_PER_HOUR: '0',
  PLATFORM_REQUESTS_PER_ADDRESS_PER_MINUTE: '0',
};

async function start(env: Readonly<Record<string, string>>): Promise<ServerProcess> {
  const server = await startServerProcess({ ...noLimits, ...env });
  onTestFinished(async () => void (await server.end('SIGKILL')));
  return server;
}

async function register(server: ServerProcess, handle: string): Promise<{ status: number; token: string }> {
  const response = await fetch(`${server.url}/api/v1/bots/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(makeRegistration(handle)),
  });
  const body = (await response.json()) as { token?: string };
  return { status: response.status, token: body.token ?? '' };
}

const readSelf = async (server: ServerProcess, token: string) =>
  (await fetch(`${server.url}/api/v1/bots/me`, { headers: { authorization: `Bearer ${token}` } })).status;

/** Registers agents in sequence until the server stops. Acknowledged registrations must persist. */
async function registerUntilTheEnd(
  server: ServerProcess,
  name: string,
  acknowledged: Map<string, string>,
): Promise<void> {
  for (let index = 0; ; index += 1) {
    const handle = `${name}_${index}`;
    const answer = await register(server, handle).catch(() => undefined);
    if (answer === undefined) return;
    if (answer.status === 201) acknowledged.set(handle, answer.token);
    else if (answer.status !== 503) throw new Error(`${handle}: ${answer.status}`);
  }
}

describe('the server process', () => {
  it('starts on an empty folder, and again on a full one', async () => {
    const folder = makeTestFolder();
    chmodSync(folder, 0o755);
    const first = await start({ PLATFORM_DATA_DIR: folder });
    const { token } = await register(first, 'alice');
    expect(await first.end('SIGTERM')).toBe(0);
    expect(first.output()).toContain('the data folder is accessible to other users');
    expect(findExposedEntries(folder)).toEqual([]);
    const quietMs = startLoadAdjustedTimer();
    const second = await start({ PLATFORM_DATA_DIR: folder, PLATFORM_UPLOAD_ISOLATION: 'auto' });

    expect(quietMs()).toBeLessThan(readyWithinMs);
    expect(await readSelf(second, token)).toBe(200);
  });

  it('loses no acknowledged registration after kill -9 under load', async () => {
    const folder = newFolder();
    const acknowledged = new Map<string, string>();
    for (let round = 0; round < scaleRepetitions(5); round += 1) {
      const quietMs = startLoadAdjustedTimer();
      const server = await start({ PLATFORM_DATA_DIR: folder });
      expect(quietMs()).toBeLessThan(readyWithinMs);
      const load = ['a', 'b', 'c', 'd'].map((name) => registerUntilTheEnd(server, `${name}${round}`, acknowledged));
      const before = acknowledged.size;
      await expect.poll(() => acknowledged.size).toBeGreaterThan(before + 20);
      await server.end('SIGKILL');
      await Promise.all(load);
    }
    const server = await start({ PLATFORM_DATA_DIR: folder });
    for (const [handle, token] of acknowledged) expect(await readSelf(server, token), handle).toBe(200);
  });

  it.each(['SIGTERM', 'SIGINT'] as const)(
    'finishes what it accepted at %s under load and ends with 0',
    async (signal) => {
      const server = await start({
        DATABASE_URL: await freshDatabase(inject('postgresUrl')),
        PLATFORM_DATA_DIR: newFolder(),
      });
      const acknowledged = new Map<string, string>();
      const load = Promise.all(
        Array.from({ length: 8 }, (_, index) => registerUntilTheEnd(server, `n${index}`, acknowledged)),
      );
      await expect.poll(() => acknowledged.size).toBeGreaterThan(50);
      const quietMs = startLoadAdjustedTimer();

      expect(await server.end(signal)).toBe(0);
      expect(quietMs()).toBeLessThan(10_000);
      await load;
      expect(server.output()).toContain('"msg":"stopped"');
    },
  );

  it('stops in time although clients keep connections open or send only half of a request', async () => {
    const server = await start({ PLATFORM_DATA_DIR: newFolder() });
    const { connect } = await import('node:net');
    const { hostname, port } = new URL(server.url);
    const sockets = Array.from({ length: 20 }, (_, index) => {
      const socket = connect(Number(port), hostname).on('error', () => undefined);
      if (index % 2 === 0)
        socket.write(
          'POST /api/v1/bots/register HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{',
        );
      return socket;
    });
    await expect.poll(() => sockets.every((socket) => !socket.connecting)).toBe(true);
    const quietMs = startLoadAdjustedTimer();

    expect(await server.end('SIGTERM')).toBe(0);
    expect(quietMs()).toBeLessThan(10_000);
  });

  it('stops in time although its log is not read', async () => {
    const server = await start({ PLATFORM_DATA_DIR: newFolder() });
    server.child.stdout?.pause();
    const ask = () => fetch(`${server.url}/nothing`).then((response) => response.arrayBuffer());
    for (let round = 0; round < 40; round += 1) await Promise.all(Array.from({ length: 50 }, ask));
    const quietMs = startLoadAdjustedTimer();

    expect(await server.end('SIGTERM')).toBe(0);
    expect(quietMs()).toBeLessThan(10_000);
  });

  it('lets 700 clients wait while it is paused, and opens no debugger when a process of its user asks', async () => {
    const server = await start({ PLATFORM_DATA_DIR: newFolder() });
    server.child.kill('SIGSTOP');
    const sockets = Array.from({ length: 700 }, () => connect(Number(new URL(server.url).port), '127.0.0.1'));
    const connected = Promise.all(sockets.map((socket) => once(socket, 'connect'))).then(() => 'connected');
    // The kernel accepts connections for the stopped server; if it drops one, the client keeps retrying.
    const patience = wait(60_000, 'left out', { ref: false });
    expect(await Promise.race([connected, patience])).toBe('connected');
    for (const socket of sockets) socket.destroy();
    server.child.kill('SIGCONT');
    server.child.kill('SIGUSR1');
    await fetch(`${server.url}/health/live`);
    expect(await server.end('SIGTERM')).toBe(0);

    expect(server.output()).not.toMatch(/debugger|inspector on/i);
  });

  it('names every wrong setting and ends with 2', () => {
    const main = fileURLToPath(new URL('./main.ts', import.meta.url));
    const env = { ...inheritedEnvironment(), PORT: 'http', PLATFORM_FEE_BPS: '-1', PLATFORM_MIGRATE: 'perhaps' };
    const { status, stderr } = spawnSync(process.execPath, [main], { env, encoding: 'utf8' });

    expect(status).toBe(2);
    expect(stderr).toMatch(/PORT[\s\S]*PLATFORM_MIGRATE[\s\S]*PLATFORM_FEE_BPS/);
  });

  it.each([
    ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'http://127.0.0.1:4318', '@opentelemetry/sdk-trace'],
    ['OTEL_EXPORTER_OTLP_METRICS_ENDPOINT', 'http://127.0.0.1:4318', '@opentelemetry/sdk-trace'],
    ['PLATFORM_STORAGE_URL', 's3://bucket', '@aws-sdk/client-s3'],
  ])('refuses %s without the packages for it, with the line that installs them', async (variable, value, peer) => {
    const lack = `import { registerHooks } from 'node:module';
      registerHooks({
        resolve(name, context, next) {
          if (!/exporter-(trace|metrics)|aws-sdk/.test(name)) return next(name, context);
          throw Object.assign(new Error('Cannot find package'), { code: 'ERR_MODULE_NOT_FOUND' });
        },
      });`;
    const env = {
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(lack)}`,
      [variable]: value,
      PLATFORM_S3_ENDPOINT: 'http://127.0.0.1:9',
      PLATFORM_S3_REGION: 'eu-central-1',
      AWS_ACCESS_KEY_ID: 'id',
      AWS_SECRET_ACCESS_KEY: 'secret',
      PLATFORM_DATA_DIR: newFolder(),
    };

    await expect(start(env)).rejects.toThrow(new RegExp(`Run "npm install [\\w@/:. -]*${peer}@[\\w.:^]+", or `));
  });

  it('refuses a database that lacks migrations when it may not migrate', async () => {
    const env = {
      PLATFORM_MIGRATE: 'manual',
      DATABASE_URL: await freshDatabase(inject('postgresUrl')),
      PLATFORM_DATA_DIR: newFolder(),
    };

    await expect(start(env)).rejects.toThrow(/0001-baseline.*PLATFORM_MIGRATE=on-start/);
  });

  it('waits for the embedded database that another server holds, then says what to do', async () => {
    const folder = newFolder();
    await start({ PLATFORM_DATA_DIR: folder });

    await expect(start({ PLATFORM_DATA_DIR: folder })).rejects.toThrow(/in use by another process/);
  });

  it('serves one PostgreSQL from two processes: a token that one revokes is invalid for the other', async () => {
    const env = {
      DATABASE_URL: await freshDatabase(inject('postgresUrl')),
      PLATFORM_STORAGE_URL: `file://${makeTestFolder()}`,
    };
    const one = await start({ ...env, PLATFORM_DATA_DIR: newFolder() });
    const other = await start({ ...env, PLATFORM_DATA_DIR: newFolder() });
    const { token } = await register(one, 'alice');
    expect(await readSelf(other, token)).toBe(200);
    await fetch(`${other.url}/api/v1/tokens/revoke`, { method: 'POST', headers: { authorization: `Bearer ${token}` } });

    expect(await readSelf(one, token)).toBe(401);
    expect((await register(other, 'alice')).status).toBe(409);
  });
});
