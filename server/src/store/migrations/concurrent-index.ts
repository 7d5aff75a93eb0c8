import { Migration } from '@mikro-orm/migrations';

/**
 * A migration that builds indexes on a table in use: rows can be written all
 * the while, which takes about twice the time. It runs outside a transaction,
 * so give it only what can be repeated: one that was interrupted is repeated whole.
 */
export abstract class ConcurrentIndexMigration extends Migration {
  // A restore migrates in a separate schema, where no other session writes, and only in transactions.
  override isTransactional(): boolean {
    return this.config.get('migrations').schema !== undefined;
  }

  /** Builds an index; `on` is what follows "create index … on". */
  protected addIndex(name: string, on: string, unique: '' | 'unique' = ''): void {
    // An interrupted build leaves an index that is maintained and never used.
    this.dropIndex(name);
    this.addSql(`create ${unique} index ${this.#concurrently} ${name} on ${on}`);
  }

  protected dropIndex(name: string): void {
    this.addSql(`drop index ${this.#concurrently} if exists ${name}`);
  }

  get #concurrently(): string {
    return this.isTransactional() ? '' : 'concurrently';
  }
}
