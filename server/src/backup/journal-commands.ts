import { randomBytes } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from '../platform/logger.ts';
import type { Revocation } from '../platform/revocation.ts';
import { journalFolder, readJournalPositions } from './journal-queries.ts';
import { makePrivateFolder, syncPath } from './repository/durable-commands.ts';
import { formatJournalLine, type JournalPosition } from './repository/journal-line.ts';
import { type BackupKey, makeBackupKey } from './repository/key-queries.ts';

interface JournalDependencies {
  /** The backup folder. */
  readonly folder: string;
  /** Reads the secret of the backup key. Called before the first entry, because the tables may not exist earlier. */
  readonly secret: () => Promise<string>;
  readonly log: Logger;
}

/**
 * The journal of revocations, stored next to the backups: a restore replays the revocations that an older backup
 * lacks. Each process writes its own segment.
 */
export class RevocationJournal {
  readonly #parts: JournalDependencies;
  readonly #folder: string;
  #segment: { readonly name: string; readonly file: FileHandle; readonly key: BackupKey; last: string } | undefined;
  #queue: Promise<void> = Promise.resolve();
  #isFailing = false;

  constructor(parts: JournalDependencies) {
    this.#parts = parts;
    this.#folder = journalFolder(parts.folder);
  }

  /**
   * Writes revocations durably. Logs a failure instead of rejecting, because the revocations are already committed. The
   * next backup will contain them, but restoring an earlier one would undo them.
   */
  readonly append = async (acts: readonly Revocation[]): Promise<void> => {
    await this.#inTurn(async () => {
      const segment = await this.#open();
      const at = new Date().toISOString();
      let text = '';
      let { last } = segment;
      for (const act of acts) {
        const { line, mac } = formatJournalLine(segment.key, last, { ...act, at });
        text += line;
        last = mac;
      }
      await segment.file.appendFile(text);
      await segment.file.datasync();
      segment.last = last;
    });
  };

  /** Reads the lengths of all segments, including those of other processes. A backup stores them to mark its start. */
  async positions(): Promise<readonly JournalPosition[]> {
    await this.#inTurn(async () => void (await this.#open()));
    return await readJournalPositions(this.#parts.folder);
  }

  async close(): Promise<void> {
    await this.#queue;
    await this.#segment?.file.close();
  }

  async #inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.#queue.then(work).then(
      () => {
        this.#isFailing = false;
      },
      async (err: unknown) => {
        // The last line may be incomplete, so the next entry starts a new segment.
        await this.#segment?.file.close().catch(() => undefined);
        this.#segment = undefined;
        if (!this.#isFailing) this.#parts.log.warn({ err }, writeFailed);
        this.#isFailing = true;
      },
    );
    this.#queue = done;
    await done;
  }

  async #open() {
    if (this.#segment !== undefined) return this.#segment;
    const key = makeBackupKey(await this.#parts.secret());
    await makePrivateFolder(this.#folder);
    const time = new Date().toISOString().replaceAll(/[-:]|\.\d+/g, '');
    const name = `${time}-${key.id}-${randomBytes(4).toString('hex')}.log`;
    const file = await open(join(this.#folder, name), 'ax', 0o600);
    await syncPath(this.#folder);
    this.#segment = { name, file, key, last: name };
    return this.#segment;
  }
}

const writeFailed =
  'cannot write the revocation journal: restoring an earlier backup would undo revocations (suspension, token revocation, private profile, erasure, moderation); make a backup';
