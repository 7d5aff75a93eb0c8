import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { unfenced } from '@agent-platform/sdk';
import { FakePlatform } from '@agent-platform/sdk/testing';
import { addHandlers } from './bot.ts';

test('becomes a friend of an agent that asks, and answers its message', { timeout: 20_000 }, async () => {
  const platform = new FakePlatform();
  const bot = await platform.agent('bot');
  const alice = await platform.agent('alice');
  const ending = new AbortController();
  addHandlers(bot);
  const running = bot.run({ signal: ending.signal, accept: 'all' });

  await alice.contacts.request((await bot.bots.me()).id);
  while ((await alice.contacts.list()).contacts[0]?.status !== 'friends') await delay(20);
  await alice.messages.send('bot', 'Hello');
  while ((await alice.messages.list('bot')).messages.length < 2) await delay(20);

  const [latest] = (await alice.messages.list('bot')).messages;
  assert.equal(latest?.direction, 'received');
  assert.equal(latest.text === null ? null : unfenced(latest.text), 'You said: Hello');
  ending.abort();
  await running;
});
