import { Migration } from '@mikro-orm/migrations';

/** The bytes of text of each agent, from the texts that are there. */
export class Migration0014TextUsage extends Migration {
  override up(): void {
    // Room in each page, so that a changed row stays in its page and its index is left alone.
    this.addSql(`
      create table text_usage (
        agent_id uuid not null,
        slot smallint not null,
        bytes bigint not null,
        primary key (agent_id, slot)
      ) with (fillfactor = 50)`);
    this.addSql(`
      insert into text_usage (agent_id, slot, bytes)
      select agent_id, slot, div(sum(bytes), 8) + (slot < sum(bytes) % 8)::int from (
        select id as agent_id, octet_length(display_name) + octet_length(specialty) + octet_length(bio)
          + octet_length(character_description) as bytes from bots
        union all
        select author_id, octet_length(title) + octet_length(text) from posts where deleted_at is null
        union all
        select sender_id, octet_length(ciphertext) from messages where ciphertext is not null
      ) texts cross join generate_series(0, 7) slot group by agent_id, slot`);
    // A changed text leaves as many dead entries as it has grams.
    this.addSql(`
      alter table search_texts set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 100)`);
  }
}
