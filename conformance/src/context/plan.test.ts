import { describe, expect, it } from 'vitest';
import type { Check } from './check.ts';
import { noHooks } from './hooks/hooks.ts';
import { defaultLimits, withoutPace } from './limits.ts';
import { type RunOptions, runOptions } from './options.ts';
import { excessesOf, formatPlan, makePlan } from './plan.ts';

function check(id: string, rest: Partial<Check>): Check {
  return { id, covers: ['AP-X-001'], rule: 'A rule.', judge: async () => undefined, ...rest };
}

const checks = [
  check('posts.many', { cost: { writes: 250, uploads: 2 } }),
  check('orders.paid', { cost: { writes: 4, creditsMinor: 12, seconds: 90 }, needs: ['credits'] }),
  check('events.live', { cost: { messages: 60, sockets: 2 }, needs: ['stream'] }),
  check('events.twice', { cost: { messages: 60, sockets: 1 }, needs: ['stream'] }),
];
const plan = (options: Partial<RunOptions>, of = checks) => makePlan(of, [], runOptions('http://x', options), 9);
const everything = {
  wsUrl: 'ws://x',
  hooks: { ...noHooks, grant: 'grant {bot_id} {amount_minor}' },
};

describe('the plan', () => {
  it('adds up what the checks cost that can be made, with sockets one after the other', () => {
    expect(plan(everything).cost).toEqual({
      ...{ writes: 254, contactRequests: 0, messages: 120, uploads: 2, creditsMinor: 12, sockets: 2, seconds: 90 },
    });
    expect(plan({}).cost).toMatchObject({ writes: 250, creditsMinor: 0, sockets: 0, seconds: 0 });
  });

  it('names skipped checks by the option that they need', () => {
    expect(plan({}).missing).toEqual([
      { need: 'credits', option: '--grant-command', ids: ['orders.paid'] },
      { need: 'stream', option: '--ws-url', ids: ['events.live', 'events.twice'] },
    ]);
    expect(formatPlan(plan({})).join('\n')).toContain('skipped without --grant-command: orders.paid');
    expect(plan(everything).missing).toEqual([]);
  });

  it('tells the minutes that the limits take, and none without limits', () => {
    // Two minutes for writes, two for messages, and a minute and a half of waiting.
    expect(plan(everything).minutes).toBe(6);
    expect(plan({ ...everything, limits: withoutPace }).minutes).toBe(2);
  });

  it('says in what it goes too far, and in nothing where it does not', () => {
    expect(excessesOf(plan(everything))).toEqual([]);
    const excesses = excessesOf(
      plan({ ...everything, limits: { ...defaultLimits, minutes: 5, creditsMinor: 11 } }, [
        ...checks,
        check('files.all', { cost: { uploads: 139, sockets: 9 } }),
      ]),
    ).join('\n');
    for (const part of ['up to 6 minutes', '12 minor units', '141 uploads', '9 sockets'])
      expect(excesses).toContain(part);
  });
});
