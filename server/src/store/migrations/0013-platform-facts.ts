import { Migration } from '@mikro-orm/migrations';

/** Facts of the whole installation, such as the version that changed the schema last. */
export class Migration0013PlatformFacts extends Migration {
  override up(): void {
    this.addSql('create table platform_facts (name text primary key, value text not null)');
  }
}
