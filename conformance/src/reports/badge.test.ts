import { describe, expect, it } from 'vitest';
import { readRequirements } from '../verdict/requirements.ts';
import { type BadgeReport, badgeOf, formatShieldJson, type JudgedRequirement } from './badge.ts';

const row = (id: string, verdict: string, checks: readonly string[] = []) => ({ id, verdict, because: [], checks });
const judged = (verdict: string) => readRequirements().map(({ id }) => row(id, verdict));
const passedBut = (...rows: readonly JudgedRequirement[]) =>
  judged('passed').map((one) => rows.find(({ id }) => id === one.id) ?? one);
const report = (requirements: readonly JudgedRequirement[], rest: Partial<BadgeReport> = {}): BadgeReport => ({
  profiles: [],
  read_only: false,
  plan: { missing: [] },
  requirements,
  ...rest,
});
const badge = (...args: Parameters<typeof report>) => badgeOf(report(...args));
const incomplete = (open: number) => ({ state: 'incomplete', message: `incomplete: ${open} not judged` });

describe('a badge', () => {
  it('is green only if all requirements for every server were judged and passed', () => {
    expect(badge(judged('passed'))).toMatchObject({ state: 'conformant' });
    const blocked = { ...row('AP-ME-003', 'not judged'), because: ['AP-ME-001'] };
    for (const one of [blocked, ...['not tested', 'inconclusive', 'error'].map((verdict) => row('AP-ME-003', verdict))])
      expect(badge(passedBut(one))).toEqual(incomplete(1));
    expect(badge(judged('passed').slice(3))).toEqual(incomplete(3));
    expect(badge(judged('not applicable'))).toMatchObject({ state: 'incomplete' });
    expect(badge([])).toMatchObject({ state: 'incomplete' });
    expect(badge(passedBut(row('AP-ME-003', 'not judged')), { read_only: true })).toEqual(incomplete(1));
  });

  it('names the profile, hooks and extra agents with which the server was judged, and those that were missing', () => {
    const clock = { need: 'clock', ids: ['time.tokens'] };
    const crowd = { need: 'crowd', ids: ['contacts.page-maximum'] };
    const timeless = row('AP-TOKEN-010', 'not judged', ['time.tokens']);
    const later = row('AP-REG-005', 'not judged', ['registration.short-handle']);
    const few = row('AP-CONTACT-031', 'not judged', ['contacts.page-maximum']);
    const messages: readonly (readonly [string, BadgeReport])[] = [
      ['conformant · with clock, suspension, many agents · not judged: limits', report(judged('passed'))],
      [
        'conformant · with limits, suspension · not judged: clock, many agents, 1 more',
        report(passedBut(timeless, few, later), { profiles: ['limits'], plan: { missing: [clock, crowd] } }),
      ],
      [
        'conformant without files, orders · with limits, clock, suspension, many agents',
        // A report joined from several runs, one of which had a clock command.
        report(judged('passed'), { profiles: ['limits'], without: ['files', 'orders'], plan: { missing: [clock] } }),
      ],
    ];
    for (const [message, of] of messages) expect(badgeOf(of)).toEqual({ state: 'conformant', message });
  });

  it('shows failures first, including expected ones', () => {
    const rows = passedBut(row('AP-TRANSPORT-001', 'failed')).slice(0, 9);
    expect(badge(rows)).toEqual({ state: 'failed', message: '1 failed' });
  });

  it('has its own colour for each state, also for shields.io', () => {
    const states = [judged('passed'), passedBut(row('AP-ME-003', 'failed')), []];
    const shields = states.map((rows) => JSON.parse(formatShieldJson(badge(rows))));
    expect(new Set(shields.map(({ color }) => color)).size).toBe(3);
    expect(shields.map(({ isError }) => isError)).toEqual([false, true, true]);
    expect(shields[0]).toMatchObject({ schemaVersion: 1, label: 'Agent Platform API' });
  });
});
