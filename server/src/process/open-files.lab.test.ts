import { connect, type Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { type ServerProcess, startServerProcess } from '@agent-platform/testing';
import { copyTemplateDatabase } from '@agent-platform/testing/template-database';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Installation, makeInstallation } from '../../testing/installation.ts';
import { scrape } from '../../testing/prometheus.ts';
import { sendBytes } from '../../testing/send-bytes.ts';
import { checkOpenFiles } from '../operator/checks/open-files.ts';
import { readSettings } from '../platform/settings/settings.ts';

it.each([
  [{}, 960],
  [{ DATABASE_URL: 'postgres://a', PLATFORM_DATABASE_CONNECTIONS: '20', PLATFORM_EVENT_CONNECTIONS: '10032' }, 10_582],
  [{ DATABASE_URL: 'postgres://a', PLATFORM_READ_DATABASE_URL: 'postgres://b' }, 582],
])('one open file less than required for %j is a warning with both numbers', (env, needed) => {
  const settings = readSettings(env);
  expect(checkOpenFiles(settings, needed)).toMatchObject({ state: 'ok' });
  const text = `The limit is ${needed - 1}; the settings need ${needed}: `;
  expect(checkOpenFiles(settings, needed - 1)).toMatchObject({ state: 'warn', text: expect.stringContaining(text) });
});

describe.runIf(process.platform === 'linux')('a server that may open 64 files', () => {
  const main = fileURLToPath(new URL('../main.ts', import.meta.url));
  const limited = `process.execve('/bin/sh', ['sh', '-c', 'ulimit -n 64 && exec "$0" "$1"', process.execPath, '${main}'])`;
  let database: Awaited<ReturnType<typeof copyTemplateDatabase>>;
  let server: ServerProcess;
  let installation: Installation;
  beforeAll(async () => {
    database = await copyTemplateDatabase();
    installation = makeInstallation({ ...database.environment, PLATFORM_METRICS_PORT: '0' });
    server = await startServerProcess(installation.env, ['-e', limited]);
  });
  afterAll(async () => {
    await server?.end('SIGTERM');
    await installation.stop();
    await database.drop();
  });
  const warnings = (words: string) =>
    server
      .output()
      .split('\n')
      .filter((line) => line.includes(words));

  it('warns at its start and in doctor, with both numbers', async () => {
    expect(warnings('too few open files')).toEqual([expect.stringMatching(/limit is 64; the settings need \d+:/)]);
    const { out } = await installation.operator('doctor');
    expect(out).toMatch(/warn {2}open files +The limit is 64; the settings need \d+: connections beyond 16 are/);
  });

  it('drops connections above the limit, counts them, logs one line, and accepts others when some end', async () => {
    const metricsUrl = /"metrics":"([^"]+)"/.exec(server.output())?.[1];
    const counted = async () => (await scrape(metricsUrl)).sum('agent_platform_connections_dropped_total');
    expect(await counted()).toBe(0);
    const health = 'GET /health/ready HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';
    const askHealth = () => sendBytes(server.url, health).catch(String);
    const sockets: Socket[] = [];
    let closed = 0;
    for (let at = 0; at < 80; at += 1) {
      const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
      socket.on('error', () => undefined).once('close', () => (closed += 1));
      sockets.push(socket.resume());
    }
    await expect.poll(() => closed).toBeGreaterThanOrEqual(64);
    expect(await counted()).toBe(closed);
    expect(await askHealth()).not.toContain('200 OK');
    expect(warnings('connections dropped')).toEqual([
      expect.stringContaining('"dropped":1,"connections":16,"limit":64'),
    ]);

    for (const socket of sockets) socket.destroy();
    await expect.poll(askHealth).toContain('200 OK');
  });
});
