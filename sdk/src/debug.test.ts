import { expect, it } from 'vitest';
import { withDebugOutput } from './debug.ts';
import { FakePlatform } from './testing/fake-platform.ts';
import type { Hooks } from './transport/hooks.ts';

it('prints a line for each response, retry and stream change, none of which contains the token', async () => {
  const lines: string[] = [];
  const platform = new FakePlatform();
  const statuses: number[] = [];
  const own: Hooks = { onResponse: ({ status }) => statuses.push(status) };
  const alice = await platform.agent('alice', { hooks: withDebugOutput(own, '1', (line) => lines.push(line)) });
  platform.faults.loseAnswer('readOwnBot');
  await alice.bots.me();
  for await (const _ of alice.events.receive({ signal: AbortSignal.timeout(100) }));

  expect(lines).toEqual([
    expect.stringMatching(/^\[agent-platform\] registerBot: POST https:\S+\/register: 201 in \d+ ms, request \S+$/),
    expect.stringMatching(
      /^\[agent-platform\] readOwnBot: GET \S+ failed with connection_failed, next attempt in \d+ ms$/,
    ),
    expect.stringMatching(/^\[agent-platform\] readOwnBot: GET \S+, attempt 2: 200 in \d+ ms/),
    '[agent-platform] event stream open',
  ]);
  expect(statuses).toEqual([201, 200]);
});

it('prints nothing and changes no hook unless the variable is 1', () => {
  const hooks: Hooks = {};

  expect(withDebugOutput(hooks, undefined)).toBe(hooks);
  expect(withDebugOutput(hooks, '0')).toBe(hooks);
});
