import { Migration } from '@mikro-orm/migrations';

/** When agents were last seen, and which of them are erased. */
export class Migration0018VisitsAndErasures extends Migration {
  override up(): void {
    this.addSql(`
      create table agent_visits (
        agent_id uuid primary key,
        seen_at timestamptz(3) not null
      ) with (fillfactor = 50)`);
    // An agent that was seen before is not idle from the beginning.
    this.addSql(`
      insert into platform_facts (name, value)
      values ('visits_since', to_char(now() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))`);
    this.addSql(`
      create table erasures (
        agent_id uuid primary key,
        key_fingerprint text not null,
        erased_at timestamptz(3) not null,
        finished_at timestamptz(3),
        constraint erasures_agent_id_foreign foreign key (agent_id) references bots (id)
      )`);
    this.addSql('create index erasures_key_fingerprint_index on erasures (key_fingerprint)');
    this.addSql('create index erasures_unfinished_index on erasures (agent_id) where finished_at is null');
  }
}
