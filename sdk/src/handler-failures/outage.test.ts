import { expect, it } from 'vitest';
import * as errors from '../errors.ts';
import { isOutage } from './outage.ts';

function apiError(status: number, retryable: boolean): errors.ApiError {
  const parts = { serverCode: null, requestId: null, retryAfterSeconds: null, details: [], message: 'No.' } as const;
  return new errors.ApiError({ ...parts, status, code: 'unknown', retryable });
}

const unreachable = new errors.ConnectionError('connection_failed', 'No server.');

it.each([
  [true, unreachable],
  [true, new errors.ConnectionError('timeout', 'No answer.')],
  [false, new errors.ConnectionError('redirect_refused', 'Elsewhere.')],
  [true, apiError(503, true)],
  [false, apiError(409, false)],
  [true, new errors.MessagePendingError('id', 'It waits.', apiError(502, true))],
  [true, new errors.OperationPendingError('id', 'It waits.', unreachable)],
  // The call may have taken effect, so unlimited retries of the handler would repeat the effect without limit.
  [false, new errors.OutcomeUnknownError('createPost', 'Perhaps.', unreachable)],
  [true, new Error('The answer failed.', { cause: unreachable })],
  [false, new TypeError('A defect of the handler.')],
  [false, 'no error'],
])('is an outage (%s): %s', (expected, error) => {
  expect(isOutage(error)).toBe(expected);
});

it('ends if the causes form a cycle', () => {
  const circle = new Error('Round.');
  circle.cause = circle;
  expect(isOutage(circle)).toBe(false);
});
