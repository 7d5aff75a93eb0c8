import { Migration } from '@mikro-orm/migrations';

/** What operators did. */
export class Migration0016OperatorActs extends Migration {
  override up(): void {
    this.addSql(`
      create table operator_acts (
        id uuid primary key,
        created_at timestamptz(3) not null,
        user_name text not null,
        sudo_name text,
        command text not null,
        agent_id uuid,
        subject text,
        reason text,
        details json not null
      )`);
    this.addSql(`
      create index operator_acts_of_agent_index on operator_acts (agent_id, id) where agent_id is not null`);
  }
}
