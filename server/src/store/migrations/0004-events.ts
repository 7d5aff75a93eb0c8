import { Migration } from '@mikro-orm/migrations';

/** The outbox of events. */
export class Migration0004Events extends Migration {
  override up(): void {
    this.addSql(`
      create table events (
        number bigserial primary key,
        event_id uuid not null,
        agent_id uuid not null,
        kind text not null,
        peer_id uuid,
        payload json not null,
        created_at timestamptz(3) not null,
        expires_at timestamptz(3),
        constraint events_event_id_unique unique (event_id),
        constraint events_agent_id_foreign foreign key (agent_id) references bots (id)
      )`);
    this.addSql('create index events_waiting_index on events (agent_id, number)');
  }
}
