import { sql } from 'kysely';
import { eraseAgent } from '../../agent-data/erase-commands.ts';
import { storageIdFactName } from '../../attachments/storage-claim-commands.ts';
import { compareStoredFiles } from '../../attachments/stored-file-queries.ts';
import { makeAnnouncer } from '../../events/event-commands.ts';
import type { FileStorage } from '../../files/storage.ts';
import { checkLedger } from '../../ledger/ledger-check-queries.ts';
import { newId } from '../../platform/crypto.ts';
import { writePlatformFact } from '../../store/platform-facts.ts';
import type { Store, Writer } from '../../store/store.ts';
import type { ProgressReporter } from '../make/dump-commands.ts';
import type { JournalEntry } from '../repository/journal-line.ts';
import { backupKeyFactName } from '../repository/key-queries.ts';
import { replayFileModeration, replayPostModeration } from './replay-moderation-commands.ts';

const batchMax = 500;

/** Repeats the revocations since the backup, oldest first. Ignores those whose subject the backup does not contain. */
async function replayJournal(store: Store, entries: readonly JournalEntry[]): Promise<void> {
  for (let at = 0; at < entries.length; at += batchMax) {
    const batch = entries.slice(at, at + batchMax);
    await store.transact(async (writer) => {
      for (const entry of batch) await replay(writer, entry);
    });
  }
}

async function replay(writer: Writer, entry: JournalEntry): Promise<void> {
  const at = new Date(entry.at);
  switch (entry.kind) {
    case 'suspended':
      await sql`update bots set suspended_at = ${at} where id = ${entry.agent_id} and suspended_at is null`.execute(
        writer,
      );
      return;
    case 'reactivated':
      await sql`update bots set suspended_at = null where id = ${entry.agent_id}`.execute(writer);
      return;
    case 'closed':
      await sql`update bots set profile_public = false where id = ${entry.agent_id}`.execute(writer);
      return;
    case 'token_ended':
      await sql`update tokens set ended_at = ${at} where token_hash = ${entry.token_hash} and ended_at is null`.execute(
        writer,
      );
      return;
    case 'token_issued':
      await sql`
        insert into tokens (token_hash, bot_id, created_at, expires_at, ended_at)
        select ${entry.token_hash}, id, ${at}, ${new Date(entry.expires_at)}, null from bots where id = ${entry.agent_id}
        on conflict do nothing`.execute(writer);
      return;
    case 'post_hidden':
    case 'post_shown':
    case 'post_deleted':
      await replayPostModeration(writer, entry, at);
      return;
    case 'file_hidden':
    case 'file_shown':
    case 'file_deleted':
      await replayFileModeration(writer, entry, at);
      return;
    case 'erased':
      // An erasure cannot share a transaction with other revocations: see `eraseAgain`.
      return;
  }
}

// Runs after all other revocations. Keeps orders that are open in the backup: they ended later, before the erasure.
async function eraseAgain(store: Store, storage: FileStorage, entries: readonly JournalEntry[]): Promise<void> {
  const ids = entries.flatMap((entry) => (entry.kind === 'erased' ? [entry.agent_id] : []));
  const clock = () => new Date();
  const { announce } = makeAnnouncer(clock, () => undefined);
  const nothing = async () => undefined;
  const parts = { store, storage, clock, announce, record: nothing, accessChanged: () => undefined };
  for (const id of new Set(ids)) {
    const known = await store.read((reader) =>
      reader.selectFrom('bots').where('id', '=', id).select('id').executeTakeFirst(),
    );
    if (known !== undefined) await eraseAgent(parts, id, 'keep');
  }
}

interface Finish {
  readonly storage: FileStorage;
  readonly secret: string | undefined;
  readonly tokens: 'keep' | 'revoke' | undefined;
  readonly entries: readonly JournalEntry[];
  readonly report: ProgressReporter;
}

/**
 * Replays the journal, stores the storage id and backup key of this installation in the database, and checks the
 * ledger. In the result, `left` lists the stored files that the database does not refer to.
 */
export async function finishRestoredDatabase(store: Store, { storage, secret, tokens, entries, report }: Finish) {
  await replayJournal(store, entries);
  await eraseAgain(store, storage, entries);
  const endedTokens = tokens === 'revoke' ? await endAllTokens(store) : 0;
  const present = await storage.readId();
  const storageId = present ?? newId();
  if (present === undefined) await storage.writeId(storageId);
  await store.transact(async (writer) => {
    await writePlatformFact(writer, storageIdFactName, storageId);
    if (secret !== undefined) await writePlatformFact(writer, backupKeyFactName, secret);
  });
  const { faultCount } = await checkLedger(store, {
    report: ({ table, checked }) => report(`verified ${checked} ${table}`),
  });
  const { missing, extra } = await compareStoredFiles(store, storage);
  // The faults recorded in the backup are outdated, because the files were restored too.
  await store.transact((writer) =>
    sql`
      update attachments set original_fault = null, preview_fault = null
      where original_fault is not null or preview_fault is not null`.execute(writer),
  );
  return { replayed: entries.length, endedTokens, faultCount, missing, left: extra };
}

// This is permanent: without a valid token, an agent can never authenticate again.
async function endAllTokens(store: Store): Promise<number> {
  return await store.transact(async (writer) => {
    const { numAffectedRows = 0n } = await sql`
      update tokens set ended_at = now() where ended_at is null`.execute(writer);
    return Number(numAffectedRows);
  });
}
