import { randomUUID } from 'node:crypto';
import { statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { makeTestFolder } from '@agent-platform/testing/test-folder';
import { expect, it, onTestFinished } from 'vitest';
import type { Act } from '../tools/consent/consent.ts';
import { ActJournal } from './act-journal.ts';

const hourMs = 3_600_000;

function setUp() {
  const file = join(makeTestFolder(), 'state', 'mcp.sqlite');
  let now = 1_800_000_000_000;
  const open = () => {
    const journal = new ActJournal(file, () => now);
    onTestFinished(() => {
      try {
        journal.close();
      } catch {
        // The test has already closed the journal.
      }
    });
    return journal;
  };
  const wait = (ms: number) => {
    now += ms;
  };
  return { file, open, wait };
}

function act(totalMinor: number, orderId: string | null = null, call: string = randomUUID()): Act {
  const facts = { operation_id: randomUUID(), order_id: orderId, version: 1, total_minor: totalMinor, agent_id: null };
  return { call, facts };
}

it('permits any number of acts from several processes until their sum reaches the limit', () => {
  const { open } = setUp();
  const [one, other] = [open(), open()];

  const covered = Array.from({ length: 25 }, (_, index) => (index % 2 === 0 ? one : other).reserve(act(110), 1_000));

  expect(covered.filter(Boolean)).toHaveLength(9);
  expect(one.spentMinor()).toBe(990);
  expect(other.reserve(act(10), 1_000)).toBe(true);
  expect(one.reserve(act(1), 1_000)).toBe(false);
});

it('remembers spent credits for a day, also after a restart', () => {
  const { open, wait } = setUp();
  const first = open();
  first.reserve(act(600), 1_000);
  first.close();
  wait(23 * hourMs);

  expect(open().reserve(act(600), 1_000)).toBe(false);
  wait(hourMs + 1);
  expect(open().reserve(act(600), 1_000)).toBe(true);
});

it('counts an order once', () => {
  const { open } = setUp();
  const journal = open();
  const orderId = randomUUID();
  const created = act(900);
  journal.reserve(created, 1_000);
  journal.settle(created.facts.operation_id, { orderId });

  expect(journal.reserve(act(900, orderId), 1_000)).toBe(true);
  expect(journal.spentMinor()).toBe(900);
  expect(journal.reserve(act(900, randomUUID()), 1_000)).toBe(false);
});

it('releases the amount of a refused act, but not of an act with an unknown outcome', () => {
  const { open } = setUp();
  const journal = open();
  const [refused, unclear] = [act(400), act(500)];
  journal.reserve(refused, 1_000);
  journal.reserve(unclear, 1_000);
  journal.settle(refused.facts.operation_id, 'refused');

  expect(journal.spentMinor()).toBe(500);
});

it('counts an order until all of its acts were refused', () => {
  const { open } = setUp();
  const journal = open();
  const orderId = randomUUID();
  const [first, second] = [act(900, orderId), act(900, orderId)];
  expect([first, second].map((one) => journal.reserve(one, 1_000))).toEqual([true, true]);
  journal.settle(first.facts.operation_id, 'refused');

  expect(journal.spentMinor()).toBe(900);
  journal.settle(second.facts.operation_id, 'refused');
  expect(journal.spentMinor()).toBe(0);
});

it('does not release the amount of an accepted act when a refusal is reported later', () => {
  const { open } = setUp();
  const journal = open();
  const done = act(400);
  journal.reserve(done, 1_000);
  journal.settle(done.facts.operation_id, { orderId: randomUUID() });
  journal.settle(done.facts.operation_id, 'refused');

  expect(journal.spentMinor()).toBe(400);
});

it('does not count an act that a person has confirmed', () => {
  const { open } = setUp();
  const journal = open();
  journal.store(act(5_000));

  expect(journal.spentMinor()).toBe(0);
});

it('finds an act by its call until its outcome is known, for at most a day', () => {
  const { open, wait } = setUp();
  const journal = open();
  const first = act(100, null, 'the call');
  journal.store(first);

  expect(open().find('the call')).toEqual(first.facts);
  expect(journal.find('another call')).toBeUndefined();
  wait(25 * hourMs);
  expect(journal.find('the call')).toBeUndefined();
  const second = act(100, null, 'the call');
  journal.store(second);
  journal.settle(second.facts.operation_id, { orderId: randomUUID() });
  expect(journal.find('the call')).toBeUndefined();
});

it('is readable only by its owner, and refuses a file of a later version', () => {
  const { file, open } = setUp();
  open().close();

  expect(statSync(file).mode & 0o077).toBe(0);
  const later = new DatabaseSync(file);
  later.exec('pragma user_version = 2; drop table acts');
  later.close();
  expect(open).toThrow(expect.objectContaining({ code: 'journal_newer' }));
});

it('counts every order against the spending policy, in total and by contractor, until it is refused', () => {
  const { file, open, wait } = setUp();
  const journal = open();
  writeFileSync(join(dirname(file), 'spending-policy.json'), '{"per_day_minor":1000,"per_counterparty_minor":600}');
  const order = (totalMinor: number, agentId: string) => {
    const { call, facts } = act(totalMinor);
    return { call, facts: { ...facts, agent_id: agentId } };
  };
  const exceeded = (limit: string) => expect.objectContaining({ message: expect.stringContaining(limit) });
  const first = order(500, 'bob');
  journal.store(first);
  journal.store(first);

  expect(() => journal.store(order(101, 'bob'))).toThrow(exceeded('permits 6.00 in 24 hours with one agent'));
  expect(() => journal.reserve(order(501, 'carol'), 10_000)).toThrow(exceeded('permits 10.00 in 24 hours,'));
  journal.storeBeyondPolicy(order(501, 'carol'));
  expect(() => journal.store(order(1, 'dave'))).toThrow(exceeded('10.01 are spent'));
  // An act without `agent_id` pays credits that are already reserved, which the policy does not limit.
  journal.store(act(5_000));
  journal.settle(first.facts.operation_id, 'refused');
  journal.store(order(400, 'bob'));
  wait(24 * hourMs + 1);
  journal.store(order(600, 'bob'));
});
