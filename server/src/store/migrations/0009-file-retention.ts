import { Migration } from '@mikro-orm/migrations';

/** When the bytes of a cleaned file were gone from the storage. */
export class Migration0009FileRetention extends Migration {
  override up(): void {
    this.addSql('alter table attachments add column bytes_removed_at timestamptz(3)');
  }
}
