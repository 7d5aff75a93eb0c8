import { Migration } from '@mikro-orm/migrations';

/**
 * A migration that builds indexes on a table in use: rows can be written all
 * the while, which takes about twice the time. It runs outside a transaction,
 * so give it nothing but indexes; one that was interrupted is repeated whole.
 */
export abstract class ConcurrentIndexMigration extends Migration {
  override isTransactional(): boolean {
    return false;
  }

  /** Builds an index; `on` is what follows "create index … on". */
  protected addIndex(name: string, on: string): void {
    // An interrupted build leaves an index that is maintained and never used.
    this.addSql(`drop index concurrently if exists ${name}`);
    this.addSql(`create index concurrently ${name} on ${on}`);
  }
}
