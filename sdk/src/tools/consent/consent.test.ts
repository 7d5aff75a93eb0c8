import { expect, it } from 'vitest';
import type { ActClass, ConfirmedTool } from '../tool.ts';
import { type Decision, makeConsent, waitingResult } from './consent.ts';
import { memoryJournal } from './memory-journal.ts';

function plan(classes: readonly ActClass[], totalMinor: number, question: string | undefined = 'Do it?') {
  const facts = {
    operation_id: crypto.randomUUID(),
    order_id: null,
    version: null,
    total_minor: totalMinor,
    agent_id: 'b',
  };
  const tool = { name: 'orders_create' } as ConfirmedTool;
  return { agent: { id: 'a', handle: 'alice' }, tool, arguments: {}, call: 'call', plan: { classes, facts, question } };
}

function consentOf(spendLimitMinor: number, decision: Decision) {
  const asked: string[] = [];
  const journal = memoryJournal();
  const policy = { allowed: new Set<ActClass>(), spendLimitMinor };
  const consent = makeConsent({ journal, policy }, async (_, question) => {
    asked.push(question);
    return decision === 'waiting' ? { pending: waitingResult } : decision;
  });
  return { asked, journal, consent };
}

it('asks about acts that the limit does not cover, and remembers approved ones', async () => {
  const { asked, journal, consent } = consentOf(1_000, 'approved');
  const [covered, beyond] = [plan(['money'], 600), plan(['money'], 500)];

  expect(await consent.decide(covered)).toBe('approved');
  expect(asked).toEqual([]);
  expect(await consent.decide(beyond)).toBe('approved');
  expect(asked).toEqual(['Do it?']);
  expect(journal.find('call')).toEqual(beyond.plan.facts);
});

it('does not send an act that is refused, undecided, or too large for a question', async () => {
  expect(await consentOf(0, 'waiting').consent.decide(plan(['money'], 1))).toEqual({ pending: waitingResult });
  await expect(consentOf(0, 'refused').consent.decide(plan(['money'], 1))).rejects.toMatchObject({
    code: 'not_confirmed',
  });
  const { asked, consent } = consentOf(0, 'approved');
  await expect(
    consent.decide({ ...plan(['publish'], 0), plan: { ...plan(['publish'], 0).plan, question: undefined } }),
  ).rejects.toMatchObject({ code: 'too_much_to_confirm' });
  expect(asked).toEqual([]);
});

it('a journal in memory counts an order once, releases refused amounts, and forgets acts after a day', () => {
  let now = 0;
  const journal = memoryJournal(() => now);
  const [first, refused] = [plan(['money'], 900).plan.facts, plan(['money'], 100).plan.facts];
  expect(journal.reserve({ call: '1', facts: first }, 1_000)).toBe(true);
  journal.settle(first.operation_id, { orderId: 'order' });
  const again = { ...plan(['money'], 900).plan.facts, order_id: 'order' };
  expect(journal.reserve({ call: '2', facts: again }, 1_000)).toBe(true);
  expect(journal.reserve({ call: '3', facts: refused }, 1_000)).toBe(true);
  expect(journal.reserve({ call: '4', facts: plan(['money'], 100).plan.facts }, 1_000)).toBe(false);
  journal.settle(refused.operation_id, 'refused');
  expect(journal.reserve({ call: '4', facts: plan(['money'], 100).plan.facts }, 1_000)).toBe(true);
  now += 86_400_001;
  expect(journal.find('2')).toBeUndefined();
  expect(journal.reserve({ call: '5', facts: plan(['money'], 1_000).plan.facts }, 1_000)).toBe(true);
});
