import { describe, expect, it } from 'vitest';
import type { RequirementTests } from '../context/check.ts';
import { expect as demand, InconclusiveError, SkippedError } from '../context/expectations.ts';
import type { Exchange } from '../context/http/http-client.ts';
import { Judge } from './judge.ts';
import { recordCheck } from './record.ts';

const answer = (path: string, status: number, json: unknown = {}): Exchange => ({
  request: { method: 'GET', path: `/api/v1${path}`, headers: {}, body: '' },
  status,
  json,
  headers: {},
  text: '',
  bytes: Buffer.alloc(0),
});
const refusal = (status: number, code: string) => ({ ...answer('/orders', status, { error: { code } }) });

async function verdictsOf(
  covers: readonly string[],
  check: (tests: RequirementTests) => Promise<unknown>,
  judge = new Judge(),
) {
  const record = await recordCheck(covers, async (tests) => void (await check(tests)));
  return judge
    .judge(record)
    .map(({ requirement, verdict, because }) =>
      [requirement, verdict, ...(because === undefined ? [] : [because])].join(' '),
    );
}

describe('what a check finds out', () => {
  it('is a verdict for each requirement: a violation fails only the violated requirement', async () => {
    const verdicts = await verdictsOf(['AP-A-001', 'AP-A-002', 'AP-A-003'], async ({ requirement }) => {
      await requirement('AP-A-001', () => demand(true, 'well'));
      await requirement('AP-A-002', () => demand(false, 'wrong'));
      await requirement('AP-A-003', () => undefined);
    });
    expect(verdicts).toEqual(['AP-A-001 passed', 'AP-A-002 failed', 'AP-A-003 passed']);
  });

  it('is not judged if it depends on a failed requirement', async () => {
    const verdicts = await verdictsOf(['AP-A-001', 'AP-A-002'], async ({ requirement, precondition }) => {
      await requirement('AP-A-001', () => undefined);
      await precondition('AP-B-001', () => demand(false, 'wrong'));
      await requirement('AP-A-002', () => undefined);
    });
    expect(verdicts).toEqual(['AP-A-001 passed', 'AP-B-001 failed', 'AP-A-002 not judged AP-B-001']);
  });

  it('is a partial pass if some cases wait for a later run, whatever else passes', async () => {
    const record = await recordCheck(['AP-A-001', 'AP-A-002'], async ({ requirement }) => {
      await requirement('AP-A-001', () => undefined, { cases: { made: 1, of: 4 } });
      await requirement('AP-A-001', () => undefined);
      await requirement('AP-A-002', () => undefined, { cases: { made: 4, of: 4 } });
    });
    expect(new Judge().judge(record)).toEqual([
      { requirement: 'AP-A-001', verdict: 'passed', cases: { made: 1, of: 4 } },
      { requirement: 'AP-A-002', verdict: 'passed' },
    ]);
  });

  it('passes no unreached requirement, except the only requirement of a check without tests', async () => {
    expect(
      await verdictsOf(['AP-A-001', 'AP-A-002'], ({ requirement }) => requirement('AP-A-001', () => undefined)),
    ).toEqual(['AP-A-001 passed', 'AP-A-002 not tested']);
    expect(await verdictsOf(['AP-A-001'], async () => undefined)).toEqual(['AP-A-001 passed']);
  });

  it('has no verdict if a precondition is missing or the server is busy', async () => {
    const skipped = await verdictsOf(['AP-A-001'], () => Promise.reject(new SkippedError('no credits')));
    expect(skipped).toEqual(['AP-A-001 not tested']);
    const busy = await verdictsOf(['AP-A-001', 'AP-A-002'], async ({ requirement }) => {
      await requirement('AP-A-001', () => undefined);
      throw new InconclusiveError('503', answer('/bots', 503));
    });
    expect(busy).toEqual(['AP-A-001 passed', 'AP-A-002 inconclusive']);
  });

  it('is not a pass if only a part was verified because the server was busy', async () => {
    const verdicts = await verdictsOf(['AP-A-001'], async ({ precondition }) => {
      await precondition('AP-A-001', () => undefined, { isPart: true });
      throw new InconclusiveError('503', answer('/bots', 503));
    });
    expect(verdicts).toEqual(['AP-A-001 inconclusive']);
    const later = await verdictsOf(['AP-A-001'], async ({ requirement }) => {
      await requirement('AP-A-001', () => undefined);
      throw new InconclusiveError('503', answer('/bots', 503));
    });
    expect(later).toEqual(['AP-A-001 inconclusive']);
    expect(
      await verdictsOf(['AP-A-001'], ({ precondition }) =>
        precondition('AP-B-001', () => demand(false, 'wrong'), { isPart: true }),
      ),
    ).toEqual([...['AP-B-001 failed', 'AP-A-001 not judged AP-B-001']]);
  });

  it('fails the requirement of a broken operation, once', async () => {
    const judge = new Judge();
    const reading = async () => void demand.bot(answer('/bots/me', 200));
    expect(await verdictsOf(['AP-A-001'], reading, judge)).toEqual([
      'AP-ME-001 failed',
      'AP-A-001 not judged AP-ME-001',
    ]);
    const later = async () => demand.member({}, 'kind', 'ai_bot', answer('/bots/me', 200));
    expect(await verdictsOf(['AP-A-002'], later, judge)).toEqual(['AP-A-002 not judged AP-ME-001']);
  });

  it('fails only the first requirement that meets a wrong refusal', async () => {
    const judge = new Judge();
    const refused = async () => demand.refusal(refusal(403, 'forbidden'), 404, 'not_found');
    expect(await verdictsOf(['AP-A-001'], refused, judge)).toEqual(['AP-A-001 failed']);
    expect(await verdictsOf(['AP-A-002'], refused, judge)).toEqual(['AP-A-002 not judged AP-A-001']);
    const another = async () => demand.refusal(refusal(409, 'state_conflict'), 404, 'not_found');
    expect(await verdictsOf(['AP-A-003'], another, judge)).toEqual(['AP-A-003 failed']);
  });
});
