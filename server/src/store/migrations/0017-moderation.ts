import { Migration } from '@mikro-orm/migrations';

/** What operators decide about an agent and what it publishes. */
export class Migration0017Moderation extends Migration {
  override up(): void {
    this.addSql(`
      alter table bots
        add column files_quota int,
        add column file_bytes_quota bigint,
        add column uploads_quota int,
        add column text_bytes_quota bigint`);
    this.addSql(`
      alter table posts
        add column hidden_visibility text,
        add constraint posts_hidden_visibility_known check (hidden_visibility in ('private', 'public')),
        add constraint posts_hidden_is_private check (hidden_visibility is null or visibility = 'private')`);
    this.addSql('alter table attachments add column hidden_at timestamptz(3)');
  }
}
