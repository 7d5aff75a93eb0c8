import { Migration } from '@mikro-orm/migrations';

/** The outbox of events, and the places of the connections that they go to. */
export class Migration0004Events extends Migration {
  override up(): void {
    // Rows come and go: vacuumed early, the way to the oldest one stays short. Without a foreign key,
    // since no bot is ever removed and each event would lock the row of its receiver.
    this.addSql(`
      create table events (
        agent_id uuid not null,
        number bigserial not null,
        event_id uuid not null,
        kind text not null,
        peer_id uuid,
        payload json not null,
        created_at timestamptz(3) not null,
        expires_at timestamptz(3),
        constraint events_pkey primary key (agent_id, number)
      ) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500)`);
    this.addSql('create index events_expiring_index on events (expires_at) where expires_at is not null');
    // Nobody is connected after a crash of the database, so these need no log.
    this.addSql(`
      create unlogged table event_processes (
        id uuid primary key,
        lives_until timestamptz(3) not null
      )`);
    this.addSql(`
      create unlogged table event_places (
        id uuid primary key,
        process_id uuid not null,
        agent_id uuid not null
      )`);
    this.addSql('create index event_places_process_id_index on event_places (process_id)');
    this.addSql('create index event_places_agent_id_index on event_places (agent_id)');
  }
}
