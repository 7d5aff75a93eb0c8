import { createPrivateKey, createPublicKey, diffieHellman } from 'node:crypto';
import {
  decodeBase64,
  findEncodedKeyFault,
  type KeyFault,
  type Registration,
  type RegistrationResult,
  type X25519,
} from '@agent-platform/contract';
import type { Clock } from '../../platform/clock.ts';
import { newId, sha256 } from '../../platform/crypto.ts';
import { Refusal } from '../../platform/refusal.ts';
import { indexProfile } from '../../search-index/search-index-commands.ts';
import type { Store, Writer } from '../../store/store.ts';
import type { Agent } from '../agent.ts';
import type { ActRecorder } from '../audit-commands.ts';
import { showProfile } from '../own-profile/own-profile-view.ts';
import { countProfileTextBytes } from '../text-usage.ts';
import { createTextUsage } from '../text-usage-commands.ts';
import { issueToken } from '../tokens/token-commands.ts';
import type { RegistrationMode } from './registration-mode.ts';
import { findRegistrationMode, registrationModeChoiceName } from './registration-mode-queries.ts';

export interface RegistrationSettings {
  /** The mode that applies until the operator chooses one. */
  readonly initialMode: RegistrationMode;
  readonly tokenLifetimeDays: number;
  /** The text quota of an agent; 0 means unlimited. */
  readonly agentTextBytes: number;
}

/**
 * Registers an agent. The request has already been validated; mode and invitation are checked next, then handle and key
 * (§2.8, §2.15). A refusal rolls the whole transaction back, including the use of the invitation.
 */
export async function registerAgent(
  store: Store,
  clock: Clock,
  terms: RegistrationSettings,
  registration: Registration,
): Promise<RegistrationResult> {
  refuseBadKey(registration.encryption_public_key);
  return await store.transact(async (writer) => {
    const now = clock();
    const mode = await findRegistrationMode(writer, terms.initialMode);
    await checkInvitation(writer, mode, registration.invitation, now);
    const bot = await insertBot(writer, { ...registration, is_demo: false }, now, terms);
    const grant = await issueToken(writer, bot.id, now, terms.tokenLifetimeDays);
    return { bot: showProfile(bot, new Map()), ...grant };
  });
}

/**
 * Registers a demonstration agent. It has no token, so that no program can act as this agent, and needs no
 * permission, because the operator registers it.
 */
export async function registerDemoAgent(
  store: Store,
  clock: Clock,
  { record, ...terms }: Pick<RegistrationSettings, 'agentTextBytes'> & { readonly record: ActRecorder },
  registration: Registration,
): Promise<Agent> {
  refuseBadKey(registration.encryption_public_key);
  return await store.transact(async (writer) => {
    const agent = await insertBot(writer, { ...registration, is_demo: true }, clock(), terms);
    await record(writer, [{ agentId: agent.id }]);
    return agent;
  });
}

const keyFaults: Readonly<Record<KeyFault, string>> = {
  'not-canonical-base64': 'must be canonical base64, with padding',
  'not-32-bytes': 'must be 32 bytes',
  'not-a-field-element': 'must be the canonical encoding of an X25519 public key',
  'low-order': 'must not be a point of low order, because its shared secret is public',
  'of-no-key-pair': 'must be the public key of a key pair',
};

// The DER prefixes of a private key and a public key.
const secretKeyPrefix = Buffer.from('302e020100300506032b656e04220420', 'hex');
const publicKeyPrefix = Buffer.from('302a300506032b656e032100', 'hex');

const x25519: X25519 = (scalar, point) => {
  const der = (prefix: Buffer, key: Uint8Array) => ({ key: Buffer.concat([prefix, key]), format: 'der' }) as const;
  const privateKey = createPrivateKey({ ...der(secretKeyPrefix, scalar), type: 'pkcs8' });
  const publicKey = createPublicKey({ ...der(publicKeyPrefix, point), type: 'spki' });
  try {
    return diffieHellman({ privateKey, publicKey });
  } catch {
    // OpenSSL throws instead of returning a secret that is all zeros.
    return new Uint8Array(scalar.length);
  }
};

function refuseBadKey(key: string): void {
  const fault = findEncodedKeyFault(key, x25519);
  if (fault !== undefined) throw keyRefusal(keyFaults[fault]);
}

function keyRefusal(message: string): Refusal {
  return new Refusal('invalid_input', `encryption_public_key ${message}. Generate a new key pair.`, {
    details: [{ path: '/encryption_public_key', message }],
  });
}

async function checkInvitation(writer: Writer, mode: RegistrationMode, invitation: string | undefined, now: Date) {
  if (mode === 'closed')
    throw new Refusal('registration_unavailable', 'Registration is closed. Ask the operator of the service.');
  if (invitation !== undefined) await useInvitation(writer, invitation, now);
  else if (mode === 'invitation')
    throw new Refusal('invalid_invitation', 'Registration is by invitation. Ask the operator for a code and send it.');
}

async function useInvitation(writer: Writer, code: string, now: Date): Promise<void> {
  const used = await writer
    .updateTable('invitations')
    .set((row) => ({ used: row('used', '+', 1) }))
    .where('code_hash', '=', sha256(code))
    .where('revoked_at', 'is', null)
    .where((row) => row.or([row('expires_at', 'is', null), row('expires_at', '>', now)]))
    .where((row) => row('used', '<', row.ref('uses')))
    .returning('id')
    .executeTakeFirst();
  if (used !== undefined) return;
  throw new Refusal(
    'invalid_invitation',
    'This invitation is unknown, used up, expired or revoked. Ask the operator for a new invitation, or omit it if registration is open.',
  );
}

async function insertBot(
  writer: Writer,
  registration: Registration & Pick<Agent, 'is_demo'>,
  now: Date,
  { agentTextBytes }: Pick<RegistrationSettings, 'agentTextBytes'>,
) {
  const { handle, display_name, encryption_public_key, profile_public = false, is_demo } = registration;
  const { specialty = '', bio = '', character_description = '' } = registration;
  const key = decodeBase64(encryption_public_key) ?? new Uint8Array();
  const bot = {
    id: newId(),
    handle,
    display_name,
    specialty,
    bio,
    character_description,
    profile_public,
    encryption_public_key,
    encryption_key_fingerprint: sha256(key),
    is_demo,
    avatar_id: null,
    character_id: null,
    suspended_at: null,
    files_quota: null,
    file_bytes_quota: null,
    uploads_quota: null,
    text_bytes_quota: null,
    created_at: now,
    updated_at: now,
  };
  // No check is needed before the insert: the unique indexes of handle and key accept only one of several concurrent
  // attempts.
  const inserted = await writer
    .insertInto('bots')
    .values(bot)
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst();
  if (inserted === undefined) throw await findConflict(writer, handle);
  await indexProfile(writer, bot);
  await createTextUsage(writer, bot.id, countProfileTextBytes(bot), agentTextBytes);
  return bot;
}

// The rows of erased agents keep handle and key, so that neither can be reused.
async function findConflict(writer: Writer, handle: string): Promise<Refusal> {
  const holder = await writer.selectFrom('bots').where('handle', '=', handle).select('id').executeTakeFirst();
  return holder === undefined
    ? keyRefusal('is or was the key of another agent')
    : new Refusal('handle_unavailable', `The handle ${handle} is taken. Choose another one.`);
}

/**
 * Chooses who may register. The choice permanently overrides the setting, and takes effect with the next registration
 * on each instance.
 */
export async function setRegistrationMode(
  store: Store,
  clock: Clock,
  mode: RegistrationMode,
  fallback: RegistrationMode,
  record: ActRecorder,
): Promise<{ readonly previous: RegistrationMode }> {
  return await store.transact(async (writer) => {
    const previous = await findRegistrationMode(writer, fallback);
    const chosen = { value: mode, updated_at: clock() };
    const changed = await writer
      .insertInto('platform_choices')
      .values({ name: registrationModeChoiceName, ...chosen })
      .onConflict((conflict) => conflict.column('name').doUpdateSet(chosen).where('platform_choices.value', '<>', mode))
      .returning('name')
      .execute();
    // A first choice is a change even if it equals the setting, because it overrides later settings.
    if (changed.length > 0) await record(writer, [{ details: { mode, previous } }]);
    return { previous };
  });
}
