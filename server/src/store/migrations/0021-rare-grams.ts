import { ConcurrentIndexMigration } from '../concurrent-index.ts';

/** Grams of few texts beside those of all; rows from before have `{0}`. */
export class Migration0021RareGrams extends ConcurrentIndexMigration {
  override up(): void {
    this.addSql(`alter table search_texts add column if not exists rare_grams int[] not null default '{0}'`);
    this.addIndex(
      'search_texts_all_grams_index',
      'search_texts using gin (grams, rare_grams) with (fastupdate = on, gin_pending_list_limit = 512)',
    );
    this.dropIndex('search_texts_grams_index');
  }
}
