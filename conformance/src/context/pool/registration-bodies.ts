import type { KeyPair } from '@agent-platform/sdk';
import type { Random } from '../../world/random.ts';
import type { JsonObject } from '../json.ts';

/** `length` must be at least 10. */
export function makeUnusedHandle(random: Random, length = 14): string {
  return `c_${random.bytes(length).toString('hex')}`.slice(0, length);
}

export interface RegistrationInputs {
  readonly random: Random;
  readonly keys: KeyPair;
  /** A handle that is already registered, for the case `taken`. */
  readonly takenHandle: string;
  readonly invitation: string | undefined;
}

/** Each of these registration texts has its maximum length. */
const fullTexts = {
  // Some of these characters have several bytes: the limits must count characters, not bytes.
  display_name: '語<'.repeat(40),
  specialty: 'Sé<b>&'.repeat(27).slice(0, 160),
  bio: 'Bé<b>&'.repeat(667).slice(0, 4000),
  character_description: 'Cé<b>&'.repeat(667).slice(0, 4000),
} as const;

/**
 * All registrations that a run may send, in order. The specified limit is 10 attempts per hour and address, including
 * refused ones: a run sends nine, which leaves one for a second run. With `--profile limits`, `limited` is the tenth.
 * `expiring` is sent an hour later and needs a movable clock; `suspended` needs a suspend command. `member` is an extra
 * agent, for servers without a registration limit.
 */
export const registrationCases = {
  full: (given) => ({
    ...fullTexts,
    handle: `${makeUnusedHandle(given.random, 31)}9`,
    profile_public: true,
    ...credentials(given),
  }),
  minimal: (given) => ordinary(given),
  expiring: (given) => ordinary(given),
  member: (given) => ({ ...ordinary(given), profile_public: true }),
  taken: (given) => ({ ...ordinary(given), handle: given.takenHandle }),
  'long-handle': (given) => ({ ...ordinary(given), handle: makeUnusedHandle(given.random, 33) }),
  'wrong-character': (given) => ({ ...ordinary(given), handle: makeUnusedHandle(given.random).replace('_', 'A') }),
  'short-key': (given) => ({
    ...ordinary(given),
    encryption_public_key: Buffer.from(given.keys.publicKey, 'base64').subarray(1).toString('base64'),
  }),
  'bare-key': (given) => ({ ...ordinary(given), encryption_public_key: given.keys.publicKey.replaceAll('=', '') }),
  'wrong-invitation': (given) => ({
    ...ordinary(given),
    profile_public: true,
    invitation: `no-such-code-${given.random.bytes(8).toString('hex')}`,
  }),
  partner: (given) => ({ ...ordinary(given), profile_public: true }),
  suspended: (given) => ({ ...ordinary(given), profile_public: true }),
  limited: (given) => ordinary(given),
  'short-handle': (given) => ({
    ...ordinary(given),
    handle: makeUnusedHandle(given.random, 10).slice(-2).replace(/^./, 'c'),
  }),
  'first-digit': (given) => ({ ...ordinary(given), handle: `7${makeUnusedHandle(given.random)}` }),
  'long-bio': (given) => ({ ...ordinary(given), bio: 'b'.repeat(4001) }),
  'long-specialty': (given) => ({ ...ordinary(given), specialty: 's'.repeat(161) }),
  'long-description': (given) => ({ ...ordinary(given), character_description: 'c'.repeat(4001) }),
  'first-underscore': (given) => ({ ...ordinary(given), handle: `_${makeUnusedHandle(given.random)}` }),
  hyphen: (given) => ({ ...ordinary(given), handle: makeUnusedHandle(given.random).replace('_', '-') }),
  'other-alphabet': (given) => ({ ...ordinary(given), handle: makeUnusedHandle(given.random).replace('_', 'ж') }),
  'line-break': (given) => ({ ...ordinary(given), handle: `${makeUnusedHandle(given.random)}\n` }),
  'long-key': (given) => ({ ...ordinary(given), encryption_public_key: `${given.keys.publicKey.slice(0, -1)}A` }),
  'url-key': (given) => ({ ...ordinary(given), encryption_public_key: `-_-_${given.keys.publicKey.slice(4)}` }),
  // A public key of valid length in non-canonical base64: the unused bits of the last character are set.
  'stray-key': (given) => {
    const { publicKey } = given.keys;
    const lastDigit = String.fromCodePoint((publicKey.codePointAt(publicKey.length - 2) ?? 0) + 1);
    return { ...ordinary(given), encryption_public_key: `${publicKey.slice(0, -2)}${lastDigit}=` };
  },
  'text-for-boolean': (given) => ({ ...ordinary(given), profile_public: 'true' }),
  'short-invitation': (given) => ({ ...ordinary(given), invitation: given.random.bytes(4).toString('hex') }),
  'no-handle': (given) => without('handle', given),
  'no-name': (given) => without('display_name', given),
  'no-key': (given) => without('encryption_public_key', given),
  'empty-name': (given) => ({ ...ordinary(given), display_name: '' }),
  'long-name': (given) => ({ ...ordinary(given), display_name: 'n'.repeat(81) }),
  demonstration: (given) => ({ ...ordinary(given), is_demo: true }),
} as const satisfies Record<string, (given: RegistrationInputs) => JsonObject>;

/** Cases that a first run does not attempt: each later run attempts one, and a run without limits attempts all. */
export const deferredCases: readonly RegistrationCase[] = [
  ...(['short-handle', 'first-digit', 'long-bio', 'no-handle', 'long-specialty', 'long-description'] as const),
  ...(['long-name', 'no-name', 'no-key', 'empty-name', 'first-underscore'] as const),
  ...(['hyphen', 'other-alphabet', 'line-break', 'long-key', 'url-key', 'stray-key', 'text-for-boolean'] as const),
  ...(['short-invitation', 'demonstration'] as const),
];

/** Cases whose agents no later run can use. */
export const singleRunCases: readonly RegistrationCase[] = ['expiring', 'suspended', 'member'];

export type RegistrationCase = keyof typeof registrationCases;

function ordinary(given: RegistrationInputs): JsonObject {
  return { handle: makeUnusedHandle(given.random), display_name: 'Conformance', ...credentials(given) };
}

function without(member: string, given: RegistrationInputs): JsonObject {
  return Object.fromEntries(Object.entries(ordinary(given)).filter(([name]) => name !== member));
}

function credentials({ keys, invitation }: RegistrationInputs) {
  return { encryption_public_key: keys.publicKey, ...(invitation === undefined ? {} : { invitation }) };
}
