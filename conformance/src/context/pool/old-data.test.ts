import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type KillableServer, startKillableServer } from '@agent-platform/testing';
import { oldDataSettings, unpackOldData } from '@agent-platform/testing/old-data';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runCommand } from '../../run-command.ts';

const old = unpackOldData();
const pool = join(old.folder, 'pool.json');
let server: KillableServer;

beforeAll(async () => {
  server = await startKillableServer({ PLATFORM_DATA_DIR: join(old.folder, 'data'), ...oldDataSettings });
  writeFileSync(pool, readFileSync(pool, 'utf8').replaceAll(old.origin, server.url));
});
afterAll(() => server.stop());

it('runs with the pool file of version 0.1.0, whose registrations it judges again', async () => {
  let output = '';
  const write = (text: string) => {
    output += text;
  };
  const addresses = ['--base-url', server.url, '--ws-url', server.url.replace('http', 'ws')];
  const exitCode = await runCommand([...addresses, '--agents', pool, '--only', 'AP-REG'], { out: write, err: write });

  expect(exitCode, output).toBe(0);
  expect(output).toContain('8 checks used registrations of an earlier run');
});
