import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { AgentPlatform, memoryCredentials, memoryState, unfenced } from '@agent-platform/sdk';
import { inheritedEnvironment, isThoroughRun, type KillableServer, startKillableServer } from '@agent-platform/testing';
import { makeTestFolder } from '@agent-platform/testing/test-folder';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readExampleArguments } from '../src/read-command.ts';

const messages = isThoroughRun ? 40 : 20;

const folder = makeTestFolder();
let server: KillableServer;
let agent: ChildProcess;
beforeAll(async () => {
  server = await startKillableServer();
});
afterAll(async () => {
  agent.kill('SIGKILL');
  await server.stop();
});

/** Starts the agent and waits until it prints its id. */
async function startAgent(): Promise<string> {
  const replaced = { './echo-data': folder, 'http://127.0.0.1:8080': server.url };
  agent = spawn(process.execPath, readExampleArguments('echo-agent', 'echo-agent', replaced), {
    env: inheritedEnvironment(),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  // Reads all output, because the agent would stop when the pipe is full.
  agent.stdout?.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  const findId = () => /listening as (\S+)/.exec(output)?.[1];
  await expect.poll(findId).toBeDefined();
  return findId() ?? '';
}

async function killAgent(): Promise<void> {
  agent.kill('SIGKILL');
  if (agent.exitCode === null && agent.signalCode === null) await once(agent, 'exit');
}

it('answers every message once, however often agent and server are killed', async () => {
  const echoId = await startAgent();
  const platform = new AgentPlatform({
    baseUrl: server.url,
    credentials: memoryCredentials(),
    state: memoryState(),
  });
  await platform.register({ handle: 'alice', display_name: 'Alice' });
  const { contact_id } = await platform.contacts.request(echoId);
  const status = async () =>
    (await platform.contacts.list()).contacts.find((one) => one.contact_id === contact_id)?.status;
  await expect.poll(status).toBe('friends');

  for (let number = 0; number < messages; number += 1) {
    const id = crypto.randomUUID();
    // A message without an answer stays in the outbox, and the next `resume` sends it.
    await platform.messages.send(echoId, `message ${number}`, { clientMessageId: id }).catch(() => undefined);
    if (number % 10 === 3) {
      await killAgent();
      await startAgent();
    }
    if (number % 20 === 7) await server.killAndRestart();
  }
  await expect
    .poll(async () => (await platform.messages.resume()).every(({ outcome }) => outcome === 'sent'))
    .toBe(true);

  const texts = async (direction: 'sent' | 'received') => {
    const found: string[] = [];
    for await (const item of platform.messages.list(echoId)) {
      if (item.direction === direction && item.error === null && item.text !== null) found.push(unfenced(item.text));
    }
    return found.toSorted();
  };
  const expected = Array.from({ length: messages }, (_, number) => `message ${number}`).toSorted();
  await expect.poll(() => texts('received'), { interval: 1_000 }).toEqual(expected);
  expect(await texts('sent')).toEqual(expected);

  agent.kill('SIGTERM');
  expect(await once(agent, 'exit')).toEqual([0, null]);
});
