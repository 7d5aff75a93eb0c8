import { once } from 'node:events';
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { makeTestFolder } from '@agent-platform/testing/test-folder';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { makeInstallationsSharingDatabase, register } from '../../testing/installation.ts';
import { captureLog } from '../../testing/test-server.ts';
import { readSettings } from '../platform/settings/settings.ts';
import { openConfiguredTelemetry } from './start-server.ts';

let shared: Awaited<ReturnType<typeof makeInstallationsSharingDatabase>>;
beforeEach(async () => {
  shared = await makeInstallationsSharingDatabase();
});
afterEach(() => shared.remove());

describe('a storage that cannot be written', () => {
  it('prevents the start, and is reported by a running server, which stays ready', async () => {
    const installation = shared.install();
    // Blocks the path of the server's test file for every user, including root.
    const obstacle = join(installation.dataDir, 'files', '.probe');
    mkdirSync(obstacle, { recursive: true, mode: 0o700 });
    await expect(installation.start()).rejects.toThrow(/file storage .*files cannot be written.*PLATFORM_STORAGE_URL/);

    renameSync(obstacle, `${obstacle}.gone`);
    const { url } = await installation.start();
    expect((await fetch(`${url}/health/ready`)).status).toBe(200);
    renameSync(join(installation.dataDir, 'files'), join(installation.dataDir, 'moved'));
    writeFileSync(join(installation.dataDir, 'files'), '');
    // Polls, because the response may be up to a second old.
    await expect
      .poll(async () => (await fetch(`${url}/health/ready`)).json())
      .toMatchObject({ status: 'ok', storage: 'unavailable' });
  });
});

describe('a backup folder that cannot be written', () => {
  it.each(['file', 'file/below'])('prevents the start if it is %s', async (path) => {
    const folder = makeTestFolder();
    writeFileSync(join(folder, 'file'), '');
    const installation = shared.install({ PLATFORM_BACKUP_DIR: join(folder, path) });

    await expect(installation.start()).rejects.toThrow(/backup folder .*file.* PLATFORM_BACKUP_DIR to a folder/);
  });

  it('is logged as an error if the reason may be temporary', async () => {
    const { logged } = await shared.install({ PLATFORM_BACKUP_DIR: join(makeTestFolder(), 'x'.repeat(300)) }).start();

    expect(logged()).toMatch(/"level":50.*ENAMETOOLONG.*PLATFORM_BACKUP_DIR/);
  });
});

describe('a server that stops', () => {
  it('answers accepted requests before it closes its database', async () => {
    const { url, stop } = await shared.install().start();
    const { token } = await register(url, 'alice');
    const body = '{"bio":"last"}';
    const head = [
      'PATCH /api/v1/bots/me HTTP/1.1',
      'host: x',
      `authorization: Bearer ${token}`,
      'expect: 100-continue',
      'content-type: application/json',
      `content-length: ${body.length}`,
    ];
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.write(`${head.join('\r\n')}\r\n\r\n`);
    const [accepted] = await once(socket, 'data');
    const stopped = stop();
    socket.write(body);
    const [answer] = await once(socket, 'data');
    await stopped;

    expect([accepted, answer].map(String)).toEqual([
      expect.stringMatching(/^HTTP\/1\.1 100 /),
      expect.stringMatching(/^HTTP\/1\.1 200 /),
    ]);
  });
});

it('does not load OpenTelemetry unless a setting enables metrics or traces', async () => {
  const openExporters = vi.fn(async () => ({}) as never);
  const load = vi.fn(async () => ({ openExporters }));
  const find = (env: Readonly<Record<string, string>>) =>
    openConfiguredTelemetry(readSettings(env), captureLog('info').log, load);

  expect(await find({ OTEL_TRACES_SAMPLER: 'always_on', OTEL_METRIC_EXPORT_INTERVAL: '1000' })).toBeUndefined();
  expect(load).not.toHaveBeenCalled();
  for (const name of ['', '_METRICS', '_TRACES'])
    expect(await find({ [`OTEL_EXPORTER_OTLP${name}_ENDPOINT`]: 'http://127.0.0.1:4318' })).toBeDefined();
  expect(await find({ PLATFORM_METRICS_PORT: '0' })).toBeDefined();
  expect(openExporters).toHaveBeenCalledTimes(4);
});
