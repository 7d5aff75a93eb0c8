import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { captureLog } from '../../../testing/test-server.ts';
import { anonymousRefusalsPerMinuteMax, loggedTextMaxLength, openRefusalLog, truncateForLog } from './refusal-log.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function openCaptured(level: string) {
  const { log, logged } = captureLog(level);
  const lines = () =>
    logged()
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as { readonly msg: string });
  return { refusals: openRefusalLog(log), lines, of: (msg: string) => lines().filter((line) => line.msg === msg) };
}

it('logs a limited number of refusals per minute, and counts the others', () => {
  const { refusals, of } = openCaptured('info');
  for (let sent = 0; sent < anonymousRefusalsPerMinuteMax + 7; sent += 1)
    refusals.write({ code: 'not_found' }, 'refused');
  for (let sent = 0; sent < 3; sent += 1) refusals.write({ code: 4401 }, 'event connection closed');
  expect(of('refused')).toHaveLength(anonymousRefusalsPerMinuteMax);
  expect(of('refusals omitted from the log')).toHaveLength(0);

  vi.advanceTimersByTime(60_000);
  expect(of('refusals omitted from the log')).toMatchObject([{ left_out: { not_found: 7, 4401: 3 } }]);

  refusals.write({ code: 'not_found' }, 'refused');
  vi.advanceTimersByTime(60_000);
  expect(of('refused')).toHaveLength(anonymousRefusalsPerMinuteMax + 1);
  expect(of('refusals omitted from the log')).toHaveLength(1);
});

it('logs the counts when it is closed, and omitted lines at level debug', () => {
  const { refusals, of } = openCaptured('debug');
  for (let sent = 0; sent < anonymousRefusalsPerMinuteMax + 1; sent += 1)
    refusals.write({ code: 'not_found' }, 'refused');
  refusals.close();

  expect(of('refused')).toHaveLength(anonymousRefusalsPerMinuteMax + 1);
  expect(of('refusals omitted from the log')).toMatchObject([{ left_out: { not_found: 1 } }]);
});

it('truncates texts that are longer than those of the API', () => {
  expect(truncateForLog('/api/v1/bots/me')).toBe('/api/v1/bots/me');
  expect(truncateForLog('a'.repeat(15_000))).toBe(`${'a'.repeat(loggedTextMaxLength)}…`);
});
