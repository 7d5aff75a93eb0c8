import type { DatabaseSync } from 'node:sqlite';
import type { NonceStore, RememberedEnvelope } from './client-state.ts';
import { acceptsMessageId } from './remembered-envelopes.ts';
import { withWriteTransaction } from './sqlite-inbox.ts';

/** An entry with its index takes about 300 bytes. */
export const noncesSchemaSql = `
  create table if not exists nonces (
    peer_key text not null,
    nonce text not null,
    direction text not null check (direction in ('sent', 'received')),
    message_id text,
    ciphertext_sha256 text not null,
    at_ms integer not null,
    primary key (peer_key, nonce)
  ) without rowid;
  create index if not exists nonces_by_age on nonces (peer_key, direction, at_ms);
`;

/** Stores nonces in a table. Known nonces are read without a write transaction. */
export class SqliteNonceStore implements NonceStore {
  readonly #database: DatabaseSync;
  readonly #max: number;
  /** One envelope for each peer and direction that got new entries since the oldest entries were last deleted. */
  readonly #grown = new Map<string, RememberedEnvelope>();
  #added = 0;

  constructor(database: DatabaseSync, max: number) {
    this.#database = database;
    this.#max = max;
  }

  async remember(envelopes: readonly RememberedEnvelope[]): Promise<readonly RememberedEnvelope[]> {
    const known = envelopes.map((envelope) => this.#find(envelope));
    const isUnchanged = known.every((one, index) => {
      const envelope = envelopes[index];
      return one !== undefined && envelope !== undefined && !acceptsMessageId(one, envelope);
    });
    if (isUnchanged) return known.filter((one) => one !== undefined);
    return withWriteTransaction(this.#database, () => this.record(envelopes));
  }

  /** Like `remember`, but within the caller's transaction. */
  record(envelopes: readonly RememberedEnvelope[]): readonly RememberedEnvelope[] {
    const remembered = envelopes.map((envelope) => this.#insert(envelope));
    for (const one of envelopes) this.#grown.set(`${one.direction} ${one.peer_key}`, one);
    this.#added += envelopes.length;
    // Finding the oldest entries reads all entries, so this is not done for every message.
    if (this.#added > this.#max / 100) this.#forgetOldest();
    return remembered;
  }

  #find({ peer_key, nonce }: RememberedEnvelope): RememberedEnvelope | undefined {
    const row = this.#database.prepare('select * from nonces where peer_key = ? and nonce = ?').get(peer_key, nonce);
    if (row === undefined) return undefined;
    return {
      peer_key,
      nonce,
      direction: row['direction'] === 'sent' ? 'sent' : 'received',
      message_id: row['message_id'] === null ? null : String(row['message_id']),
      ciphertext_sha256: String(row['ciphertext_sha256']),
      at_ms: Number(row['at_ms']),
    };
  }

  #insert(envelope: RememberedEnvelope): RememberedEnvelope {
    const known = this.#find(envelope);
    const { peer_key, nonce, direction, message_id, ciphertext_sha256, at_ms } = envelope;
    if (known === undefined) {
      this.#database
        .prepare(
          'insert into nonces (peer_key, nonce, direction, message_id, ciphertext_sha256, at_ms) values (?, ?, ?, ?, ?, ?)',
        )
        .run(peer_key, nonce, direction, message_id, ciphertext_sha256, at_ms);
      return envelope;
    }
    if (!acceptsMessageId(known, envelope)) return known;
    this.#database
      .prepare('update nonces set message_id = ? where peer_key = ? and nonce = ?')
      .run(message_id, peer_key, nonce);
    return { ...known, message_id };
  }

  #forgetOldest(): void {
    const statement = this.#database.prepare(`
      delete from nonces where peer_key = :peer_key and nonce in (
        select nonce from nonces where peer_key = :peer_key and direction = :direction
        order by at_ms desc limit -1 offset :max
      )`);
    for (const { peer_key, direction } of this.#grown.values()) statement.run({ peer_key, direction, max: this.#max });
    this.#grown.clear();
    this.#added = 0;
  }
}
