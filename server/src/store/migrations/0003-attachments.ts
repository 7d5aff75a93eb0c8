import { Migration } from '@mikro-orm/migrations';

/** Files, what is in use of the quotas, and the images of profiles. */
export class Migration0003Attachments extends Migration {
  override up(): void {
    this.addSql(`
      create table attachments (
        id uuid primary key,
        owner_id uuid not null,
        upload_id uuid not null,
        purpose text not null,
        state text not null,
        reserved_bytes bigint not null,
        lease_expires_at timestamptz(3),
        sha256 text,
        filename text,
        media_type text,
        size_bytes bigint,
        width int,
        height int,
        page_count int,
        preview_sha256 text,
        preview_size_bytes bigint,
        preview_width int,
        preview_height int,
        bound_kind text,
        bound_id uuid,
        position int,
        detached_at timestamptz(3),
        created_at timestamptz(3) not null,
        cleaned_at timestamptz(3),
        constraint attachments_upload_unique unique (owner_id, upload_id),
        constraint attachments_purpose_known check (purpose in ('avatar', 'character', 'portfolio', 'order')),
        constraint attachments_state_known check (state in ('receiving', 'checking', 'ready', 'rejected', 'abandoned')),
        constraint attachments_bound_known check (bound_kind in ('profile', 'post', 'order')),
        constraint attachments_bound_whole check ((bound_kind is null) = (bound_id is null)),
        constraint attachments_reserved_positive check (reserved_bytes >= 0)
      )`);
    this.addSql('create index attachments_bound_index on attachments (bound_id, position) where bound_id is not null');
    this.addSql(
      'create index attachments_lease_index on attachments (lease_expires_at) where lease_expires_at is not null',
    );
    this.addSql(`
      create table file_usage (
        key text primary key,
        files int not null,
        bytes bigint not null,
        records int not null,
        constraint file_usage_positive check (files >= 0 and bytes >= 0 and records >= 0)
      )`);
    this.addSql(`insert into file_usage (key, files, bytes, records) values ('all', 0, 0, 0)`);
    this.addSql('alter table bots add column avatar_id uuid, add column character_id uuid');
    this.addSql(`
      alter table attachments add constraint attachments_owner_id_foreign
        foreign key (owner_id) references bots (id)`);
    this.addSql(`
      alter table bots
        add constraint bots_avatar_id_foreign foreign key (avatar_id) references attachments (id),
        add constraint bots_character_id_foreign foreign key (character_id) references attachments (id)`);
  }
}
