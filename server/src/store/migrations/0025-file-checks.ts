import { ConcurrentIndexMigration } from '../concurrent-index.ts';

/** When stored files were last compared with their hashes, and what was wrong. */
export class Migration0025FileChecks extends ConcurrentIndexMigration {
  override up(): void {
    this.addSql('alter table attachments add column if not exists verified_at timestamptz(3)');
    this.addSql('alter table attachments add column if not exists original_fault text');
    this.addSql('alter table attachments add column if not exists preview_fault text');
    this.addIndex('attachments_unverified_index', 'attachments (coalesce(verified_at, created_at))');
    this.addIndex(
      'attachments_fault_index',
      'attachments (id) where original_fault is not null or preview_fault is not null',
    );
  }
}
