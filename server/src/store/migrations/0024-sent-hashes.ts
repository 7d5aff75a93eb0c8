import { Migration } from '@mikro-orm/migrations';

/** The hashes of uploads as they were sent, for repeats: what follows an image is not stored. */
export class Migration0024SentHashes extends Migration {
  override up(): void {
    this.addSql('alter table attachments add column sent_sha256 text');
  }
}
