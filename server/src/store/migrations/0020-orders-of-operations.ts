import { Migration } from '@mikro-orm/migrations';

/** The order of each operation, from which its answer is worked out again. */
export class Migration0020OrdersOfOperations extends Migration {
  override up(): void {
    this.addSql('alter table operations add column order_id uuid');
  }
}
