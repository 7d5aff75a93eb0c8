import { expect, it } from 'vitest';
import { credentialFor, rotatedTestToken, testToken } from '../../testing/records.ts';
import { CachedCredential } from './cached-credential.ts';
import { memoryCredentials } from './credential-store.ts';

const url = 'https://platform.example';
const day = 86_400_000;
const issuedMs = Date.parse('2027-01-01T00:00:00.000Z');

it.each([
  ['is not replaced on day 23, because its rotation is not due yet', 23, undefined],
  ['is replaced on day 25, when another process stores the new one a moment later', 25, rotatedTestToken],
  ['is not replaced on day 31, because it has expired', 31, undefined],
])('a refused token %s', async (_, age, expected) => {
  const old = credentialFor(url, {
    token_issued_at: new Date(issuedMs).toISOString(),
    token_expires_at: new Date(issuedMs + 30 * day).toISOString(),
  });
  let loads = 0;
  const load = async () => {
    loads += 1;
    return loads < 4 ? old : { ...old, token: rotatedTestToken };
  };
  const settings = { now: () => issuedMs + age * day, sleep: async () => undefined };
  const credential = new CachedCredential({ ...memoryCredentials(), load }, url, settings);
  await credential.current();

  expect(await credential.bearer.replacementFor(testToken)).toBe(expected);
});
