import { connect, type Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { type ServerProcess, startServerProcess } from '@agent-platform/testing';
import { copyTemplateDatabase } from '@agent-platform/testing/template-database';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Installation, makeInstallation } from '../../testing/installation.ts';
import { scrape } from '../../testing/prometheus.ts';
import { sendBytes } from '../../testing/send-bytes.ts';
import { budgetOpenFiles, checkOpenFiles } from '../operator/checks/open-files.ts';
import { readSettings } from '../platform/settings/settings.ts';

const onPostgres = { DATABASE_URL: 'postgres://there', PLATFORM_DATABASE_CONNECTIONS: '20' };
const withReplica = { ...onPostgres, PLATFORM_READ_DATABASE_URL: 'postgres://elsewhere' };

describe('the open files that the settings need', () => {
  it.each([
    ['with the embedded database', {}, 960],
    ['with PostgreSQL', onPostgres, 582],
    ['with a replica', withReplica, 602],
    ['with many event connections', { ...onPostgres, PLATFORM_EVENT_CONNECTIONS: '10032' }, 10_582],
  ])('are counted %s', (_, env, needed) => {
    expect(budgetOpenFiles(readSettings(env), 65_536).needed).toBe(needed);
  });

  it('are enough at the limit, and one less is a warning with both numbers', () => {
    const settings = readSettings({});
    expect(checkOpenFiles(settings, 960)).toMatchObject({ state: 'ok' });
    expect(checkOpenFiles(settings, 959)).toMatchObject({
      state: 'warn',
      text: 'The limit is 959, and the settings need 960: connections beyond 239 are dropped.',
      hint: expect.stringContaining('Raise it to 960 or more: LimitNOFILE='),
    });
  });
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
    await installation.remove();
    await database.drop();
  });
  const printed = () => server.output().split('\n');
  const warnings = (message: string) => printed().filter((line) => line.includes(message));

  it('warns at its start and in doctor, with both numbers', async () => {
    expect(warnings('the limit of open files is below what the settings need')).toEqual([
      expect.stringMatching(/"limit":64,"needed":\d+,"hint":"Raise it to/),
    ]);
    const { out } = await installation.operator('doctor');
    expect(out).toMatch(/warn {2}open files +The limit is 64, and the settings need \d+: connections beyond 16 are/);
  });

  it('drops further connections, counts each of them, writes one line, and serves on when the others end', async () => {
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
