import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { credentialFor, testKeyPair, testToken } from '../testing/records.ts';
import { AgentPlatform } from './agent-platform.ts';
import { type Credential, isCredential } from './credential.ts';
import { memoryCredentials } from './credentials/credential-store.ts';
import { fileCredentials } from './credentials/file-credentials.ts';

const credential = credentialFor('https://platform.example');

describe('a credential', () => {
  it.each<[string, Partial<Record<keyof Credential, unknown>>]>([
    ['a revoked token', { token: null, token_expires_at: null }],
    ['a token of another form', { token: 'abc.def-ghi' }],
  ])('may have %s', (_, change) => {
    expect(isCredential({ ...credential, ...change })).toBe(true);
  });

  it.each<[string, Partial<Record<keyof Credential, unknown>>]>([
    ['a token with a line break', { token: `${testToken}\n` }],
    ['a token with a space', { token: 'a b' }],
    ['an empty token', { token: '' }],
    ['no token member', { token: undefined }],
    ['no origin', { origin: undefined }],
    ['an id that is a number', { bot_id: 5 }],
    ['a broken public key', { encryption_public_key: 'AAAA' }],
    ['no secret key', { encryption_secret_key: undefined }],
    ['half a secret key', { encryption_secret_key: testKeyPair.secretKey.slice(0, 20) }],
  ])('is not one with %s', (_, change) => {
    expect(isCredential({ ...credential, ...change })).toBe(false);
  });

  it.each([null, undefined, 5, 'text', []])('is not %o', (value) => {
    expect(isCredential(value)).toBe(false);
  });
});

describe('secrets', () => {
  const store = memoryCredentials(credential);
  const platform = new AgentPlatform({ baseUrl: 'https://platform.example', credentials: store });

  it.each([
    ['a client', async () => platform],
    ['a memory store', async () => store],
    ['a file store', async () => fileCredentials('/nowhere/alice.json')],
    ['a loaded credential', async () => store.load()],
  ])('are not shown when %s is printed', async (_, subject) => {
    const value = await subject();
    const shown = [inspect(value, { depth: 9 }), inspect({ value }, { depth: 9 }), String(value)];

    for (const text of shown) {
      expect(text).not.toContain(testToken);
      expect(text).not.toContain(testKeyPair.secretKey);
    }
  });

  it.each([
    ['a client', platform],
    ['a part of a client', platform.tokens],
    ['a store', store],
  ])('are not in the JSON of %s', (_, value) => {
    expect(JSON.stringify(value)).not.toContain(testToken);
    expect(inspect(value, { showHidden: true, depth: 9 })).not.toContain(testToken);
  });

  it('are in the JSON of a credential, so that custom stores can write it', async () => {
    expect(JSON.parse(JSON.stringify(await store.load()))).toEqual(credential);
  });
});
