import { computeScore, runChecks } from 'afdocs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openBuiltSite } from './testing/built-site.ts';

let built: Awaited<ReturnType<typeof openBuiltSite>>;
beforeAll(async () => {
  built = await openBuiltSite();
});
afterAll(() => built?.close());

it('has the full score of the Agent-Friendly Documentation Spec', async () => {
  const report = await runChecks(`${built.url}/docs/`, {
    ...{ samplingStrategy: 'deterministic', requestDelay: 0, maxConcurrency: 8 },
  });
  const failed = report.results.filter(({ status }) => status === 'fail');

  expect(failed.map(({ id, message }) => `${id}: ${message}`)).toEqual([]);
  expect(computeScore(report).overall).toBe(100);
});
