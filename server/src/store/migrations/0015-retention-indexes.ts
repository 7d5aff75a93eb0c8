import { Migration } from '@mikro-orm/migrations';

/** The order in which retention removes tokens and deleted posts. */
export class Migration0015RetentionIndexes extends Migration {
  override up(): void {
    this.addSql('create index tokens_over_index on tokens (least(expires_at, ended_at))');
    this.addSql('create index posts_deleted_index on posts (deleted_at) where deleted_at is not null');
    this.addSql(`
      create index posts_deleted_of_author_index on posts (author_id, deleted_at) where deleted_at is not null`);
  }
}
