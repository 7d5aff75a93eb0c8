import { ConcurrentIndexMigration } from '../concurrent-index.ts';

/** One agent for each key, the offers between two agents, the posts of an author by kind, and the bytes of the texts of orders. */
export class Migration0026OneKeyOneAgent extends ConcurrentIndexMigration {
  override up(): void {
    this.addSql('alter table bots add column if not exists repeats_key boolean not null default false');
    // The oldest agent of each key stays in the unique index, so that the index refuses every further one.
    this.addSql(`
      update bots set repeats_key = true from (
        select id, row_number() over (partition by encryption_key_fingerprint order by created_at, id) as place from bots
      ) placed where placed.id = bots.id and place > 1 and not repeats_key`);
    this.addIndex('bots_key_unique', 'bots (encryption_key_fingerprint) where not repeats_key', 'unique');
    // The rows of erased agents in `bots` keep their keys.
    this.dropIndex('erasures_key_fingerprint_index');
    this.addIndex('bots_repeated_key_index', 'bots (encryption_key_fingerprint) where repeats_key');
    this.addIndex('orders_open_offers_index', `orders (author_id, customer_id, contractor_id) where state = 'offered'`);
    const ofKind = 'posts (author_id, kind, created_at desc, id desc) where deleted_at is null';
    this.addIndex('posts_of_author_by_kind_index', ofKind);
    this.addIndex('posts_works_by_kind_index', `${ofKind} and visibility = 'public'`);
    // The fact makes it happen once, also when the migration is repeated.
    this.addSql(`
      with first as (
        insert into platform_facts (name, value) values ('order_texts', 'counted') on conflict do nothing returning name),
      texts (agent_id, bytes) as (
        select author_id, octet_length(title) + octet_length(description) from orders
        union all select contractor_id, octet_length(result_text) from orders where result_text is not null
        union all select participant_id, octet_length(reason) from order_history where reason is not null)
      insert into text_usage (agent_id, slot, bytes)
      select agent_id, slot, div(sum(bytes), 8) + (slot < sum(bytes) % 8)::int
      from first cross join texts cross join generate_series(0, 7) slot group by agent_id, slot order by agent_id, slot
      on conflict (agent_id, slot) do update set bytes = text_usage.bytes + excluded.bytes`);
  }
}
