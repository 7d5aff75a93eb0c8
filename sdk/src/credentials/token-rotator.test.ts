import { afterEach, beforeEach, describe, expect, it, type MockInstance, vi } from 'vitest';
import { makeRecordingStore } from '../../testing/recorded-store.ts';
import { credentialFor, failureOf, rotatedTestToken } from '../../testing/records.ts';
import type { Credential } from '../credential.ts';
import { CredentialError, OutcomeUnknownError } from '../errors.ts';
import type { TokenRotation } from '../transport/hooks.ts';
import { CachedCredential } from './cached-credential.ts';
import { memoryCredentials } from './credential-store.ts';
import { TokenRotator } from './token-rotator.ts';

const url = 'https://platform.example';
const day = 86_400_000;
const issuedMs = Date.parse('2027-01-01T00:00:00.000Z');

function issuedAt(ms: number, change: Partial<Credential> = {}): Credential {
  const [issued, expires] = [ms, ms + 30 * day].map((time) => new Date(time).toISOString());
  return credentialFor(url, { token_issued_at: issued, token_expires_at: expires ?? null, ...change });
}

let emitWarning: MockInstance;
beforeEach(() => {
  emitWarning = vi.spyOn(process, 'emitWarning').mockReturnValue(undefined);
});
afterEach(() => {
  emitWarning.mockRestore();
});

/** Runs a rotator whose delays move its clock, until it has waited `checks` times. */
async function keep(
  rotateIfDue: (credential: CachedCredential) => Promise<{ token_expires_at: string | null } | undefined>,
  options: {
    atMs?: number;
    checks?: number;
    hasHook?: boolean;
    rotates?: boolean;
    random?: number;
    store?: ReturnType<typeof freshStore>;
  } = {},
) {
  const { atMs = issuedMs, checks = 3, hasHook = true, rotates = true, random = 0, store = freshStore() } = options;
  let nowMs = atMs;
  const waits: number[] = [];
  const told: TokenRotation[] = [];
  const settings = {
    now: () => nowMs,
    random: () => random,
    sleep: async () => undefined,
    hooks: hasHook ? { onTokenRotation: (info: TokenRotation) => void told.push(info) } : {},
  };
  const credential = new CachedCredential(store, url, settings);
  let enough: () => void = () => undefined;
  const done = new Promise<void>((resolve) => {
    enough = resolve;
  });
  const sleep = async (milliseconds: number, signal: AbortSignal | undefined) => {
    waits.push(milliseconds);
    nowMs += milliseconds;
    if (waits.length < checks) return;
    enough();
    await new Promise((resolve) => signal?.addEventListener('abort', resolve));
  };
  const rotator = new TokenRotator({
    credential,
    manager: { rotateIfDue: () => rotateIfDue(credential) },
    settings,
    rotates,
    sleep,
  });
  const stop = rotator.start();
  if (rotates) await done;
  return { rotator, stop, told, waits, credential };
}

/** A store that was initially empty, so it does not count as a copy. */
function freshStore(credential = issuedAt(issuedMs)) {
  const store = memoryCredentials();
  void store.save(credential);
  return store;
}

const rotating = async (credential: CachedCredential) => {
  const renewed = issuedAt(issuedMs + 24 * day, { token: rotatedTestToken });
  await credential.replace(renewed, 'rotated');
  return renewed;
};

describe('keeping a token', () => {
  it('rotates a token at 80 % of its life, and does not rotate the new token before it is due', async () => {
    const calls: string[] = [];
    const rotate = async (credential: CachedCredential) => {
      calls.push('rotate');
      return rotating(credential);
    };
    const { stop, told, waits } = await keep(rotate, { atMs: issuedMs + 24 * day - 1_500, checks: 5 });
    await stop();

    expect(waits).toEqual([1_000, 500, 1_000, 1_000, 1_000]);
    expect(calls).toEqual(['rotate']);
    expect(told).toEqual([{ state: 'rotated', tokenExpiresAt: '2027-02-24T00:00:00.000Z' }]);
  });

  it('rotates a short-lived token well before it expires, even with the longest random delay', async () => {
    const token_expires_at = new Date(issuedMs + 60_000).toISOString();
    const store = freshStore(issuedAt(issuedMs, { token_expires_at }));
    const { stop, told, waits } = await keep(rotating, { atMs: issuedMs + 53_500, random: 1, checks: 2, store });
    await stop();

    expect(waits).toEqual([500, 1_000]);
    expect(told).toMatchObject([{ state: 'rotated' }]);
  });

  it('retries after a failure, and warns once if there is no hook', async () => {
    const lost = new OutcomeUnknownError('rotateToken', 'the answer was lost.', new Error('lost'));
    const failing = async () => Promise.reject(lost);
    const hooked = await keep(failing, { atMs: issuedMs + 25 * day });
    await hooked.stop();
    expect(hooked.waits).toEqual([300_000, 300_000, 300_000]);
    expect(hooked.told[0]).toEqual({
      state: 'failed',
      error: lost,
      tokenExpiresAt: '2027-01-31T00:00:00.000Z',
      waitMs: 300_000,
    });
    expect(emitWarning).not.toHaveBeenCalled();

    await (await keep(failing, { atMs: issuedMs + 25 * day, hasHook: false })).stop();
    expect(emitWarning).toHaveBeenCalledTimes(1);
    expect(emitWarning).toHaveBeenCalledWith(
      expect.stringContaining('expires at 2027-01-31T00:00:00.000Z, could not be rotated: the answer was lost.'),
      'AgentPlatformTokenWarning',
    );
  });

  it('saves a new token again until it is stored', async () => {
    const { store, inner } = makeRecordingStore(undefined, ['save']);
    let saves = 0;
    const save = async (one: Credential) => {
      saves += 1;
      await (saves > 2 ? inner.save(one) : store.save(one));
    };
    const failsTwice = { ...store, save };
    await inner.save(issuedAt(issuedMs));
    const { stop, told, waits, credential } = await keep(rotating, { atMs: issuedMs + 25 * day, store: failsTwice });
    await stop();

    expect(told).toMatchObject([{ state: 'failed', error: { code: 'credential_not_saved' }, waitMs: 5_000 }]);
    expect(waits).toEqual([5_000, 5_000, 0]);
    expect([(await inner.load())?.token, (await credential.current()).token]).toEqual([
      rotatedTestToken,
      rotatedTestToken,
    ]);
  });

  it('returns the only copy of a new token to the caller when it can never be stored', async () => {
    const { store, inner } = makeRecordingStore(undefined, ['save']);
    await inner.save(issuedAt(issuedMs));
    const { stop } = await keep(rotating, { atMs: issuedMs + 25 * day, store });

    const error = await failureOf(stop());
    expect(error instanceof CredentialError && error.credential?.token).toBe(rotatedTestToken);
  });

  it('does not rotate the token of a store that is a copy, and reports it', async () => {
    const rotate = vi.fn();
    const { stop, told } = await keep(rotate, {
      atMs: issuedMs + 25 * day,
      store: memoryCredentials(issuedAt(issuedMs)),
    });
    await stop();

    expect(rotate).not.toHaveBeenCalled();
    expect(told[0]).toMatchObject({ state: 'failed', error: { message: expect.stringContaining('is a copy') } });
  });

  it('does not rotate when the program does, or when no agent is registered', async () => {
    const rotate = vi.fn();
    await (await keep(rotate, { atMs: issuedMs + 29 * day, rotates: false })).stop();
    await (await keep(rotate, { atMs: issuedMs + 29 * day, store: memoryCredentials() })).stop();

    expect(rotate).not.toHaveBeenCalled();
  });

  it('runs once for several users, until the last one stops', async () => {
    const { rotator, stop, waits } = await keep(async () => undefined, { checks: 2 });
    const stopOther = rotator.start();
    await stop();
    expect(waits).toEqual([1_000, 1_000]);

    let hasEnded = false;
    void stopOther().then(() => {
      hasEnded = true;
    });
    await vi.waitUntil(() => hasEnded, 120_000);
    expect(waits).toHaveLength(2);
  });
});
