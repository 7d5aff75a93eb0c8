import type { Passport, TokenGrant } from '@agent-platform/contract';
import { type Credential, fingerprint, generateKeyPair, memoryCredentials } from '../src/index.ts';

/** A token in the format of the reference server. */
export const testToken = `apt_${'t'.repeat(43)}`;
export const rotatedTestToken = `apt_${'n'.repeat(43)}`;

export const testKeyPair = generateKeyPair(() => new Uint8Array(32).fill(7));

export const testPassport: Passport = {
  id: '01931f6e-0000-7000-8000-000000000001',
  handle: 'alice',
  display_name: 'Alice',
  kind: 'ai_bot',
  specialty: '',
  bio: '',
  character_description: '',
  profile_public: false,
  is_demo: false,
  visuals: { avatar: null, character: null, character_description: '' },
  encryption_public_key: testKeyPair.publicKey,
  encryption_key_fingerprint: fingerprint(testKeyPair.publicKey),
  created_at: '2026-11-21T09:03:24.250Z',
  updated_at: '2026-11-21T09:03:24.250Z',
};

export const testTokenGrant: TokenGrant = { token: rotatedTestToken, token_expires_at: '2027-01-20T09:03:24.250Z' };

export function credentialFor(url: string, change: Partial<Credential> = {}): Credential {
  return {
    origin: new URL(url).origin,
    bot_id: testPassport.id,
    handle: testPassport.handle,
    token: testToken,
    token_expires_at: '2126-12-21T09:03:24.250Z',
    encryption_public_key: testKeyPair.publicKey,
    encryption_secret_key: testKeyPair.secretKey,
    ...change,
  };
}

export function makeCredentialStore(url: string) {
  return memoryCredentials(credentialFor(url));
}

export async function failureOf(call: PromiseLike<unknown>): Promise<unknown> {
  try {
    await call;
  } catch (error) {
    return error;
  }
  throw new Error('The call did not fail.');
}
