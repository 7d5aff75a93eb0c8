import { createCipheriv, createDecipheriv, createHash, randomBytes, scrypt } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { Credential } from '@agent-platform/sdk';
import { exitCodes } from '../errors/exit-codes.ts';
import { CommandError } from '../errors/failure.ts';

// Profile files move a profile to another machine; docs/profile-file.md describes the format.

export interface ProfileContent {
  /** ISO 8601. */
  readonly exported_at: string;
  /** The version of `agentp` that wrote the file. */
  readonly agentp: string;
  readonly profile: string;
  readonly credential: Credential;
  readonly settings: Readonly<Record<string, string>>;
  /** Empty if the agent has no state. */
  readonly state: readonly StateFile[];
}

export interface StateFile {
  readonly name: string;
  /** Base64. */
  readonly content: string;
}

/** A well-formed profile file that is not decrypted yet. */
interface SealedProfile {
  readonly salt: Buffer;
  readonly nonce: Buffer;
  readonly sealed: Buffer;
}

const format = 'agentp-profile';
const version = 1;
const head = `${format} ${version}`;
const cipher = 'aes-256-gcm';
const [saltBytes, nonceBytes, tagBytes, keyBytes] = [16, 12, 16, 32];
// With these parameters, each guess of a passphrase needs 128 MiB of memory.
const cost = { N: 2 ** 17, r: 8, p: 1, maxmem: 256 * 2 ** 20 };

export async function encryptProfileFile(content: ProfileContent, passphrase: string): Promise<string> {
  const [salt, nonce] = [randomBytes(saltBytes), randomBytes(nonceBytes)];
  const encryption = createCipheriv(cipher, await deriveKey(passphrase, salt), nonce).setAAD(Buffer.from(head));
  const packed = gzipSync(JSON.stringify(content));
  const sealed = Buffer.concat([encryption.update(packed), encryption.final(), encryption.getAuthTag()]);
  const texts = { salt: salt.toString('base64'), nonce: nonce.toString('base64'), sealed: sealed.toString('base64') };
  return `${JSON.stringify({ format, version, ...texts, sha256: checksumOf(texts) }, null, 2)}\n`;
}

/**
 * Validates the format of a profile file. The checksum distinguishes damage from a wrong passphrase; only the
 * encryption protects against deliberate changes.
 *
 * @throws CommandError `profile_file_damaged`, `profile_file_newer`
 */
export function parseProfileFile(text: string): SealedProfile {
  const file = parseRecord(text);
  if (file === undefined) throw damaged('It is not a profile file of agentp, or it is truncated.');
  if (file['format'] !== format) throw damaged('It is not a profile file of agentp.');
  if (file['version'] !== version) {
    const message = `The file has format version ${String(file['version'])}; this agentp reads version ${version}.`;
    throw new CommandError(
      exitCodes.unexpected,
      'profile_file_newer',
      message,
      'Update agentp on this machine; `agentp --version` shows the version in use.',
    );
  }
  const texts = { salt: String(file['salt']), nonce: String(file['nonce']), sealed: String(file['sealed']) };
  if (file['sha256'] !== checksumOf(texts)) throw damaged('It was changed or damaged after the export.');
  const decode = (base64: string) => Buffer.from(base64, 'base64');
  return { salt: decode(texts.salt), nonce: decode(texts.nonce), sealed: decode(texts.sealed) };
}

/** @throws CommandError `wrong_passphrase` */
export async function decryptProfileFile(
  { salt, nonce, sealed }: SealedProfile,
  passphrase: string,
): Promise<ProfileContent> {
  const key = await deriveKey(passphrase, salt);
  try {
    const decryption = createDecipheriv(cipher, key, nonce, { authTagLength: tagBytes }).setAAD(Buffer.from(head));
    decryption.setAuthTag(sealed.subarray(-tagBytes));
    const packed = Buffer.concat([decryption.update(sealed.subarray(0, -tagBytes)), decryption.final()]);
    // No check is needed, because the authentication tag proves that this package wrote the file.
    return JSON.parse(gunzipSync(packed).toString('utf8'));
  } catch {
    const message = 'The passphrase is wrong, or the file was tampered with.';
    throw new CommandError(exitCodes.refusedInput, 'wrong_passphrase', message, 'Nothing was imported. Try again.');
  }
}

// Keyboards of different systems encode the same letter differently, so the passphrase is normalized.
function deriveKey(passphrase: string, salt: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(passphrase.normalize('NFC'), salt, keyBytes, cost, (error, key) => (error ? reject(error) : resolve(key)));
  });
}

function checksumOf({ salt, nonce, sealed }: Readonly<Record<'salt' | 'nonce' | 'sealed', string>>): string {
  return createHash('sha256').update([head, salt, nonce, sealed].join('\n')).digest('hex');
}

function parseRecord(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

function damaged(message: string): CommandError {
  const hint = 'Copy the file again from the other machine, or export the profile again.';
  return new CommandError(exitCodes.refusedInput, 'profile_file_damaged', message, hint);
}
