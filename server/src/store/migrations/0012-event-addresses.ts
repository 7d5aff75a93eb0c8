import { Migration } from '@mikro-orm/migrations';

/** The address of each event connection, which has a limit of its own. */
export class Migration0012EventAddresses extends Migration {
  override up(): void {
    this.addSql('alter table event_places add column address text');
    this.addSql('create index event_places_address_index on event_places (address)');
  }
}
