import { describe, expect, it } from 'vitest';
import type { Cost } from './budget/cost.ts';
import { defaultLimits, unpacedLimits } from './budget/limits.ts';
import type { Check } from './check.ts';
import { noHooks } from './hooks/hooks.ts';
import { type RunOptions, runOptions } from './options.ts';
import { emptyPoolStatus, findExceededLimits, formatPlan, makePlan } from './plan.ts';

function check(id: string, rest: Partial<Check>): Check {
  return { id, covers: ['AP-X-001'], rule: 'A rule.', judge: async () => undefined, ...rest };
}

const checks = [
  check('posts.many', { cost: { writes: 250, uploads: 2 } }),
  check('orders.paid', { cost: { writes: 4, creditsMinor: 12, seconds: 90 }, needs: ['credits'] }),
  check('events.live', { cost: { messages: 60, sockets: 2 }, needs: ['stream'] }),
  check('events.twice', { cost: { messages: 60, sockets: 1 }, needs: ['stream'] }),
];
const plan = (options: Partial<RunOptions>, of = checks) =>
  makePlan({ checks: of, observations: [] }, runOptions('http://x', options), emptyPoolStatus);
const everything = {
  wsUrl: 'ws://x',
  hooks: { ...noHooks, grant: 'grant {bot_id} {amount_minor}' },
};

describe('the plan', () => {
  it('adds up the costs of the possible checks, except connections, which are opened in sequence', () => {
    expect(plan(everything).cost).toEqual({
      writes: 254,
      contactRequests: 0,
      messages: 120,
      uploads: 2,
      creditsMinor: 12,
      sockets: 2,
      seconds: 90,
    });
    expect(plan({}).cost).toMatchObject({ writes: 250, creditsMinor: 0, sockets: 0, seconds: 0 });
  });

  it('counts no uploads if the server does not support files', () => {
    expect(plan({ without: ['files'] }).cost).toMatchObject({ writes: 250, uploads: 0 });
  });

  it('names skipped checks by the option that they need', () => {
    expect(plan({}).missing).toEqual([
      { need: 'credits', option: '--grant-command', ids: ['orders.paid'] },
      { need: 'stream', option: '--ws-url', ids: ['events.live', 'events.twice'] },
    ]);
    expect(formatPlan(plan({})).join('\n')).toContain('skipped without --grant-command: orders.paid');
    expect(plan(everything).missing).toEqual([]);
  });

  it('counts the minutes of waiting for limits, and none without limits', () => {
    // Two minutes for writes, two for messages, and a minute and a half of waiting.
    expect(plan(everything).minutes).toBe(6);
    expect(plan({ ...everything, limits: unpacedLimits }).minutes).toBe(2);
  });

  it('adds up waits in the order of the run, and counts concurrent waits once', () => {
    const minutesOf = (...costs: readonly Partial<Cost>[]) =>
      plan(
        {},
        costs.map((cost, at) => check(`x.${at}`, { cost })),
      ).minutes;
    const tables: readonly (readonly [minutes: number, ...costs: readonly Partial<Cost>[]])[] = [
      [0, { writes: 100 }],
      [1, { writes: 101 }],
      [1, { writes: 60 }, { writes: 60 }],
      [0, { messages: 50, writes: 50 }],
      [1, { messages: 51, writes: 51 }, { writes: 99 }],
      [2, { contactRequests: 17, writes: 17 }],
      // The first check itself waits for 61 seconds, so the next one starts in a new minute.
      [2, { writes: 100, seconds: 61 }, { writes: 100 }],
    ];
    for (const [minutes, ...costs] of tables) expect(minutesOf(...costs)).toBe(minutes);
  });

  it('counts registrations in addition to those of the pool, depending on the limit of the server', () => {
    const of = [check('x.1', { attempts: { limited: 22, unlimited: 0 } }), check('x.2', { extraAgents: 4 })];
    const more = [check('x.3', { attempts: { limited: 0, unlimited: 2 } })];
    expect(plan({}, [...of, ...more]).registrations).toBe(22);
    expect(plan({ limits: unpacedLimits }, [...of, ...more]).registrations).toBe(6);
  });

  it('names the checks for which no registration is left in this hour: the last ones of the run', () => {
    const of = [
      check('limits.x', { covers: ['AP-LIMIT-002'], registration: 'limited', profile: 'limits' }),
      check('registration.x', { covers: ['AP-REG-006'], registration: 'long-handle' }),
    ];
    const due = ['minimal', 'taken', 'long-handle', 'partner', 'limited'] as const;
    const untested = (left: number) =>
      makePlan({ checks: of, observations: [] }, runOptions('http://x'), { ...emptyPoolStatus, due, left });
    expect(untested(4).untested).toEqual([]);
    expect(formatPlan(untested(3)).join('\n')).toContain('for lack of registrations in this hour: AP-LIMIT-002');
    expect(untested(1).untested).toEqual(['checks that need two agents', 'AP-REG-006', 'AP-LIMIT-002']);
    expect(untested(0).untested).toContain('checks that need a new agent');
  });

  it('names the limits that it exceeds, if any', () => {
    expect(findExceededLimits(plan(everything))).toEqual([]);
    const excesses = findExceededLimits(
      plan({ ...everything, limits: { ...defaultLimits, minutes: 5, creditsMinor: 11 } }, [
        ...checks,
        check('files.all', { cost: { uploads: 139, sockets: 9 } }),
      ]),
    ).join('\n');
    for (const part of ['up to 6 minutes', '12 minor units', '141 uploads', '9 sockets'])
      expect(excesses).toContain(part);
  });
});
