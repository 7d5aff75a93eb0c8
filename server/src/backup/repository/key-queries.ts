import { createHmac, timingSafeEqual } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sha256 } from '../../platform/crypto.ts';
import { undefinedIfMissing } from '../../platform/error-facts.ts';
import { BackupRefusal } from './refusal.ts';

/** The key that signs the backups and the journal of an installation. */
export interface BackupKey {
  /** Identifies the key without disclosing it. */
  readonly id: string;
  sign(text: string): string;
  accepts(text: string, mac: string): boolean;
}

/** The name under which `platform_facts` stores the backup key; no backup contains this row. */
export const backupKeyFactName = 'backup_key';

const keyForm = /^[0-9a-f]{64}$/;

export function backupKeyPath(dataDir: string): string {
  return join(dataDir, 'backup.key');
}

export function makeBackupKey(secret: string): BackupKey {
  const sign = (text: string) => createHmac('sha256', Buffer.from(secret, 'hex')).update(text).digest('hex');
  const accepts = (text: string, mac: string) => {
    const [expected, given] = [Buffer.from(sign(text)), Buffer.from(mac)];
    return expected.length === given.length && timingSafeEqual(expected, given);
  };
  return { id: sha256(`backup key ${secret}`).slice(0, 16), sign, accepts };
}

/** Reads a backup key file; undefined if it does not exist. */
export async function readKeyFile(path: string): Promise<string | undefined> {
  const secret = (await undefinedIfMissing(readFile(path, 'utf8')))?.trim();
  if (secret === undefined || keyForm.test(secret)) return secret;
  throw new BackupRefusal('backup_key_missing', `${path} is not a backup key: a key has 64 hexadecimal digits.`);
}
