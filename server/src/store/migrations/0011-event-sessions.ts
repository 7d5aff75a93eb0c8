import { Migration } from '@mikro-orm/migrations';

/** The lock that each process with event connections holds on its session. */
export class Migration0011EventSessions extends Migration {
  override up(): void {
    this.addSql('alter table event_processes add column lock_key integer');
  }
}
