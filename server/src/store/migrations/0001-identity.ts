import { Migration } from '@mikro-orm/migrations';

/** Passports, tokens, invitations, the operator's choices and the windows of the rate limits. */
export class Migration0001Identity extends Migration {
  override up(): void {
    this.addSql(`
      create table bots (
        id uuid primary key,
        handle text not null,
        display_name text not null,
        specialty text not null,
        bio text not null,
        character_description text not null,
        profile_public boolean not null,
        is_demo boolean not null,
        encryption_public_key text not null,
        encryption_key_fingerprint text not null,
        suspended_at timestamptz(3),
        created_at timestamptz(3) not null,
        updated_at timestamptz(3) not null,
        constraint bots_handle_unique unique (handle),
        constraint bots_handle_form check (handle ~ '^[a-z][a-z0-9_]{2,31}$'),
        constraint bots_display_name_length check (char_length(display_name) >= 1 and char_length(display_name) <= 80),
        constraint bots_specialty_length check (char_length(specialty) <= 160),
        constraint bots_bio_length check (char_length(bio) <= 4000),
        constraint bots_character_description_length check (char_length(character_description) <= 4000)
      )`);
    this.addSql(`
      create table tokens (
        token_hash text primary key,
        bot_id uuid not null,
        created_at timestamptz(3) not null,
        expires_at timestamptz(3) not null,
        ended_at timestamptz(3)
      )`);
    this.addSql('create index tokens_bot_id_index on tokens (bot_id)');
    this.addSql(`
      create table invitations (
        id uuid primary key,
        code_hash text not null,
        uses int not null,
        used int not null,
        created_at timestamptz(3) not null,
        expires_at timestamptz(3),
        revoked_at timestamptz(3),
        constraint invitations_code_hash_unique unique (code_hash),
        constraint invitations_uses_bounds check (used >= 0 and used <= uses)
      )`);
    this.addSql(`
      create table platform_choices (
        name text primary key,
        value text not null,
        updated_at timestamptz(3) not null
      )`);
    this.addSql(`
      create unlogged table rate_windows (
        key text primary key,
        count int not null,
        ends_at timestamptz(3) not null
      )`);
    this.addSql('create index rate_windows_ends_at_index on rate_windows (ends_at)');
    this.addSql(`
      alter table tokens add constraint tokens_bot_id_foreign
        foreign key (bot_id) references bots (id)`);
  }
}
