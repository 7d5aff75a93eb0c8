import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { makeTestFolder } from '@agent-platform/testing/test-folder';
import { expect, it } from 'vitest';
import { credentialFor } from '../../testing/records.ts';
import { makeEventId, makeOrderEvent, serveStream } from '../../testing/stream-server.ts';

const program = `
const { AgentPlatform, memoryCredentials, sqliteState } = await import(${JSON.stringify(new URL('../index.ts', import.meta.url).href)});
const [baseUrl, path, credential, id] = process.argv.slice(1);
const credentials = memoryCredentials(JSON.parse(credential));
const { events, messages, orders } = new AgentPlatform({ baseUrl, credentials, state: sqliteState(path) });
const open = () => AgentPlatform.open({ folder: path + '.folder', handle: 'alice', baseUrl });
const calls = { open, run: () => events.run(), complete: () => orders.complete({ id, version: 1 }), send: () => messages.send(id, 'Hello') };
const failures = {};
for (const [name, call] of Object.entries(calls)) failures[name] = await call().then(() => null, (error) => error);
console.log(JSON.stringify(failures));
`;

it('a runtime without node:sqlite acknowledges no event and sends no command, and the error says how to fix it', async () => {
  const server = await serveStream((connection) => connection.send(makeOrderEvent(1)));
  const path = join(makeTestFolder(), 'state.sqlite');
  const flags = ['--no-experimental-sqlite', '--input-type=module', '-e', program];
  const values = [server.url, path, JSON.stringify(credentialFor(server.url)), makeEventId(1)];

  const { stdout } = await promisify(execFile)(process.execPath, [...flags, ...values], { timeout: 600_000 });

  const refusal = {
    name: 'StateError',
    code: 'state_unusable',
    message: expect.stringMatching(/no node:sqlite\. Use Node\.js 22\.19 or later/),
  };
  expect(JSON.parse(stdout)).toEqual({ open: refusal, run: refusal, complete: refusal, send: refusal });
  expect(server.connections).toEqual([]);
});
