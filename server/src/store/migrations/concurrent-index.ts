import { Migration } from '@mikro-orm/migrations';

/**
 * A migration that builds indexes on a table in use: rows can still be written, but a build takes about twice as long.
 * It runs outside a transaction and must be repeatable, because an interrupted migration runs again from the start.
 */
export abstract class ConcurrentIndexMigration extends Migration {
  // A restore migrates in a separate schema, where no other session writes, and only in transactions.
  override isTransactional(): boolean {
    return this.config.get('migrations').schema !== undefined;
  }

  /** Builds an index; `on` is the text after "create index … on". */
  protected addIndex(name: string, on: string, unique: '' | 'unique' = ''): void {
    // Removes what an interrupted build may have left: an index that is maintained but never used.
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
