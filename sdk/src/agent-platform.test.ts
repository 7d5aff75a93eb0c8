import { inspect } from 'node:util';
import { expect, it } from 'vitest';
import { AgentPlatform } from './agent-platform.ts';
import { memoryCredentials } from './credentials/credential-store.ts';
import { memoryState } from './state/memory-state.ts';
import { FakePlatform } from './testing/fake-platform.ts';

it('a printed client shows its address, and its handle if known, but not its token', async () => {
  const credentials = memoryCredentials();
  const unknown = new AgentPlatform({ baseUrl: 'https://platform.example' });
  const alice = await new FakePlatform().agent('alice', { credentials });

  expect(`${unknown}`).toBe('AgentPlatform { https://platform.example }');
  expect([inspect(alice), `${alice}`]).toEqual(Array(2).fill('AgentPlatform { https://platform.test, alice }'));
});

it('a client declared with await using is closed at the end of the block', async () => {
  const state = memoryState();
  let closed = 0;
  const close = async () => {
    closed += 1;
    await state.close();
  };
  const alice = await new FakePlatform().agent('alice', { state: { open: state.open, close } });
  await alice.messages.pending();
  expect(closed).toBe(0);
  // The test does not use "await using", which the oldest supported Node.js cannot parse.
  await alice[Symbol.asyncDispose]();
  expect(closed).toBe(1);
});
