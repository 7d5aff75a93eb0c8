import { expect, it } from 'vitest';
import type { Agent } from '../../../identity/agent.ts';
import type { AgentOutcome } from '../../../identity/named-agents-commands.ts';
import { runOnAgents } from './bulk.ts';

it('a command on agents reports after each batch whose access has changed', async () => {
  const told: unknown[] = [];
  const parts = { note: () => undefined, accessChanged: (ids: readonly string[]) => void told.push(ids) };
  const names = Array.from({ length: 501 }, (_, at) => `agent_${at}`);
  const outcomeOf = (name: string): AgentOutcome => {
    const outcome = name.endsWith('00') ? 'changed' : 'unchanged';
    return { name, outcome, agent: { id: name, handle: name } as Agent };
  };

  const result = await runOnAgents(parts, names, async (part) => part.map(outcomeOf));

  expect(told).toEqual([['agent_100', 'agent_200', 'agent_300', 'agent_400'], ['agent_500']]);
  expect(result).toMatchObject({ changed: 5, unchanged: 496, failed: 0 });
});
