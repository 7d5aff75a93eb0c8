import { type AgentPlatform, ApiError } from '@agent-platform/sdk';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { uploadOnce } from './upload-once.ts';

const options = { purpose: 'order', uploadId: '01a20490-dd2b-737c-9461-e06f5a55966c' } as const;

function refusal(code: 'upload_unavailable' | 'invalid_file', status: number): ApiError {
  const parts = { serverCode: code, message: code, requestId: null, retryAfterSeconds: null, details: [] };
  return new ApiError({ status, code, ...parts, retryable: false });
}

/** A client whose uploads have these outcomes, one after the other. */
function clientWith(outcomes: readonly (ApiError | { readonly id: string })[]): AgentPlatform {
  const upload = vi.fn();
  for (const outcome of outcomes) {
    if (outcome instanceof ApiError) upload.mockRejectedValueOnce(outcome);
    else upload.mockResolvedValueOnce(outcome);
  }
  return { attachments: { upload } } as unknown as AgentPlatform;
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it('repeats an upload that the server still inspects after a kill', async () => {
  const file = { id: 'f' };
  const unavailable = refusal('upload_unavailable', 409);
  const done = uploadOnce(clientWith([unavailable, unavailable, file]), 'picture.png', options);
  await vi.advanceTimersByTimeAsync(1_000);

  expect(await done).toBe(file);
});

it('does not repeat an upload that is refused', async () => {
  const refused = refusal('invalid_file', 422);

  await expect(uploadOnce(clientWith([refused]), 'picture.png', options)).rejects.toBe(refused);
});
