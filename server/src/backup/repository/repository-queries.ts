import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCodeOf, undefinedIfMissing } from '../../platform/error-facts.ts';
import { backupNamePattern } from './folders.ts';
import type { BackupKey } from './key-queries.ts';
import {
  backupFormat,
  type Manifest,
  parseManifest,
  parseManifestFormat,
  parseVerificationRecord,
  signedManifestText,
  signedVerificationText,
} from './manifest.ts';
import { BackupRefusal, damagedBackupRefusal } from './refusal.ts';

/** A backup in the list; its content has not been checked. */
export interface StoredBackup {
  readonly name: string;
  readonly manifest: Manifest;
  /** When the backup was last restored into a temporary database and found intact; null if never. */
  readonly verifiedAt: string | null;
}

/** The key with which a backup must be signed, or `unsigned` if no signature is required. */
export type RequiredSigner = BackupKey | 'unsigned';

/** Lists the readable backups, newest first. Sorts them by number, because clocks may be wrong. */
export async function listBackups(repository: string): Promise<readonly StoredBackup[]> {
  const found: StoredBackup[] = [];
  for (const name of (await undefinedIfMissing(readdir(repository))) ?? []) {
    if (!backupNamePattern.test(name)) continue;
    const manifest = parseManifest((await readText(join(repository, name, 'manifest.json'))) ?? '');
    if (manifest === undefined || manifest.name !== name) continue;
    const verified = parseVerificationRecord((await readText(join(repository, name, 'verified.json'))) ?? '');
    const isOfThis = verified?.manifest_mac === manifest.mac;
    found.push({ name, manifest, verifiedAt: isOfThis ? verified.verified_at : null });
  }
  return found.toSorted((one, other) => other.manifest.number - one.manifest.number);
}

/** Whether the record of a successful verification is signed with this key. */
export async function isBackupVerified(
  repository: string,
  { name, manifest }: StoredBackup,
  key: BackupKey,
): Promise<boolean> {
  const verified = parseVerificationRecord((await readText(join(repository, name, 'verified.json'))) ?? '');
  return verified?.manifest_mac === manifest.mac && key.accepts(signedVerificationText(verified), verified.mac);
}

/** Resolves `newest` to the name of a backup; returns any other name unchanged. */
export async function resolveBackupName(repository: string, wanted: string): Promise<string> {
  if (wanted !== 'newest') return wanted;
  const [newest] = await listBackups(repository);
  if (newest === undefined) throw new BackupRefusal('backup_not_found', `There is no backup in ${repository}.`);
  return newest.name;
}

/** Reads a backup's manifest; refuses one that is absent, truncated, too new, or not signed as required. */
export async function loadManifest(repository: string, name: string, trust: RequiredSigner): Promise<Manifest> {
  const text = backupNamePattern.test(name) ? await readText(join(repository, name, 'manifest.json')) : undefined;
  if (text === undefined) {
    const message = `There is no backup ${JSON.stringify(name)} in ${repository}; "backup list" shows the names.`;
    throw new BackupRefusal('backup_not_found', message);
  }
  const format = parseManifestFormat(text);
  if (typeof format === 'number' && format > backupFormat) {
    const message = `The backup has format ${format}, and this version reads formats up to ${backupFormat}. Use a later version.`;
    throw new BackupRefusal('backup_newer', message);
  }
  const manifest = parseManifest(text);
  if (manifest === undefined || manifest.name !== name)
    throw damagedBackupRefusal('manifest.json is truncated or was changed');
  if (trust !== 'unsigned') requireSignature(manifest, trust);
  return manifest;
}

function requireSignature(manifest: Manifest, key: BackupKey): void {
  if (key.accepts(signedManifestText(manifest), manifest.mac)) return;
  if (manifest.key_id !== key.id) {
    const message = `The backup was signed with the key ${manifest.key_id}, and this installation has the key ${key.id}. Pass the file of that key with --key-file, or use --unsigned to accept a backup whose origin is not verified.`;
    throw new BackupRefusal('backup_key_missing', message);
  }
  const message =
    'The backup is forged or damaged: manifest.json does not have the signature of its key. Use another backup.';
  throw new BackupRefusal('backup_forged', message);
}

async function readText(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    const code = errorCodeOf(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw error;
  }
}
