import { Migration } from '@mikro-orm/migrations';

/**
 * Leaves one index for each walk through a history or a list. Along a key that
 * all agents share, the database may look for one agent's rows among everybody's
 * newer ones, and does where a few agents have most of them.
 */
export class Migration0010OneWayToWalk extends Migration {
  override up(): void {
    this.addSql('alter table ledger_entries drop constraint ledger_entries_pkey');
    this.addSql('drop index ledger_entries_transaction_index');
    this.addSql('alter table ledger_entries add constraint ledger_entries_pkey primary key (transaction_id, number)');
    for (const side of ['customer', 'contractor']) {
      this.addSql(`drop index orders_of_${side}_index, orders_of_${side}_by_state_index`);
      this.addSql(`create index orders_of_${side}_index on orders (${side}_id, created_at, id)`);
      this.addSql(`create index orders_of_${side}_by_state_index on orders (${side}_id, state, created_at, id)`);
    }
  }
}
