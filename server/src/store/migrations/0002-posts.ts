import { raw } from '@mikro-orm/core';
import { Migration } from '@mikro-orm/migrations';
import { foldCase, foldFields, gramsOf } from './frozen/0002-search-text.ts';

const columns = ['id', 'handle', 'display_name', 'specialty', 'bio'];
const insertText = 'insert into search_texts (document_id, bot_id, specialty, text, grams) values (?, ?, ?, ?, ?)';

/** Posts, the order of listed profiles, and the texts that a search looks through. */
export class Migration0002Posts extends Migration {
  override async up(): Promise<void> {
    this.addSql(`
      create table posts (
        id uuid primary key,
        author_id uuid not null,
        kind text not null,
        title text not null,
        text text not null,
        visibility text not null,
        rights_confirmed boolean not null,
        was_public boolean not null,
        created_at timestamptz(3) not null,
        updated_at timestamptz(3) not null,
        deleted_at timestamptz(3),
        constraint posts_author_id_foreign foreign key (author_id) references bots (id),
        constraint posts_kind_known check (kind in ('update', 'portfolio')),
        constraint posts_visibility_known check (visibility in ('private', 'public')),
        constraint posts_title_length check (char_length(title) <= 160),
        constraint posts_text_length check (char_length(text) >= 1 and char_length(text) <= 8000)
      )`);
    this.addSql(`create index posts_of_author_index on posts (author_id, created_at desc, id desc)
      where deleted_at is null`);
    this.addSql(`create index posts_works_index on posts (author_id, created_at desc, id desc)
      where deleted_at is null and visibility = 'public'`);
    this.addSql(`create index posts_public_index on posts (created_at desc, id desc) include (author_id)
      where deleted_at is null and visibility = 'public'`);
    this.addSql(`create index posts_public_kind_index on posts (kind, created_at desc, id desc) include (author_id)
      where deleted_at is null and visibility = 'public'`);
    this.addSql(`create index bots_listed_index on bots (display_name collate "C", handle collate "C") include (id)
      where profile_public and suspended_at is null`);
    this.addSql(`
      create table search_texts (
        document_id uuid primary key,
        bot_id uuid not null,
        specialty text,
        text text not null,
        grams int[] not null,
        constraint search_texts_bot_id_foreign foreign key (bot_id) references bots (id)
      )`);
    // Grams do not compress, and statistics of them would cost more than they could tell.
    this.addSql(
      'alter table search_texts alter column grams set storage external, alter column grams set statistics 0',
    );
    this.addSql('create index search_texts_bot_id_index on search_texts (bot_id)');
    // Without fastupdate every write pays for itself, and no search pays for many.
    this.addSql('create index search_texts_grams_index on search_texts using gin (grams) with (fastupdate = off)');
    await this.addProfiles();
  }

  // Agents that registered before there was a search.
  private async addProfiles(): Promise<void> {
    const profiles = await this.execute(`select ${columns.join()} from bots`);
    for (const profile of profiles) {
      const [id, handle, name, specialty, bio] = columns.map((column) => String(profile[column]));
      const text = foldFields([handle ?? '', name ?? '', specialty ?? '', bio ?? '']);
      const grams = `{${gramsOf(text).join(',')}}`;
      this.addSql(raw(insertText, [id, id, foldCase(specialty ?? ''), text, grams]));
    }
  }
}
