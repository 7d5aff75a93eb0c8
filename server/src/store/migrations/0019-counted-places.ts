import { Migration } from '@mikro-orm/migrations';

/** The number of places of each process with event connections. */
export class Migration0019CountedPlaces extends Migration {
  override up(): void {
    this.addSql('alter table event_processes add column places integer');
  }
}
