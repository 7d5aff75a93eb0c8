import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { claimPlatformFact } from '../../store/platform-facts.ts';
import type { Store, Writer } from '../../store/store.ts';
import { makePrivateFolder, writeFileAtomically } from './durable-commands.ts';
import { backupKeyFactName, backupKeyPath, readKeyFile } from './key-queries.ts';

/**
 * Reads or creates the secret of this installation's backup key. The secret is in the database, which all processes
 * share; the file `backup.key` is a copy for a restore.
 */
export async function ensureKeySecret(store: Store, dataDir: string): Promise<string> {
  const kept = await readKeyFile(backupKeyPath(dataDir));
  const secret = await store.transact(async (writer) => {
    // The database of an earlier version has no `platform_facts` table, so only the file contains the key.
    if (!(await hasFacts(writer))) return kept ?? newSecret();
    const { value } = await claimPlatformFact(writer, backupKeyFactName, kept ?? newSecret());
    return value;
  });
  if (secret !== kept) await writeKeyFile(dataDir, secret);
  return secret;
}

export async function writeKeyFile(dataDir: string, secret: string): Promise<void> {
  await makePrivateFolder(dataDir);
  await writeFileAtomically(backupKeyPath(dataDir), `${secret}\n`);
}

const newSecret = () => randomBytes(32).toString('hex');

async function hasFacts(writer: Writer): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`select to_regclass('platform_facts') is not null as found`.execute(
    writer,
  );
  return rows[0]?.found === true;
}
