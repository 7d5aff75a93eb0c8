import { Migration } from '@mikro-orm/migrations';

/** The ledger: wallets, and transactions with their entries. */
export class Migration0006Ledger extends Migration {
  override up(): void {
    this.addSql(`
      create table wallets (
        agent_id uuid primary key,
        available_minor bigint not null,
        reserved_minor bigint not null,
        constraint wallets_available_covered check (available_minor >= 0),
        constraint wallets_reserved_covered check (reserved_minor >= 0),
        constraint wallets_total_safe check (available_minor + reserved_minor <= 9007199254740991),
        constraint wallets_agent_id_foreign foreign key (agent_id) references bots (id)
      )`);
    this.addSql(`
      create table ledger_transactions (
        id uuid primary key,
        movement text not null,
        order_id uuid,
        operation_id uuid not null,
        created_at timestamptz(3) not null,
        constraint ledger_transactions_movement_known check (movement in ('grant', 'reserve', 'payout', 'refund')),
        constraint ledger_transactions_order_known check ((movement = 'grant') = (order_id is null))
      )`);
    this.addSql(`create unique index ledger_transactions_granted_once on ledger_transactions (operation_id)
      where movement = 'grant'`);
    this.addSql(`create unique index ledger_transactions_reserved_once on ledger_transactions (order_id)
      where movement = 'reserve'`);
    this.addSql(`create unique index ledger_transactions_settled_once on ledger_transactions (order_id)
      where movement in ('payout', 'refund')`);
    this.addSql(`
      create table ledger_entries (
        number bigserial primary key,
        transaction_id uuid not null,
        agent_id uuid,
        account_kind text not null,
        kind text not null,
        delta_minor bigint not null,
        constraint ledger_entries_account_known check (account_kind in ('available', 'reserved', 'issuance', 'fees')),
        constraint ledger_entries_account_whole check ((agent_id is null) = (account_kind in ('issuance', 'fees'))),
        constraint ledger_entries_kind_known check (kind in ('grant', 'reserve', 'payout', 'fee', 'refund')),
        constraint ledger_entries_delta_moves check (delta_minor <> 0),
        constraint ledger_entries_transaction_id_foreign foreign key (transaction_id) references ledger_transactions (id),
        constraint ledger_entries_agent_id_foreign foreign key (agent_id) references wallets (agent_id)
      )`);
    this.addSql('create index ledger_entries_transaction_index on ledger_entries (transaction_id)');
    this.addSql(
      'create index ledger_entries_of_agent_index on ledger_entries (agent_id, number) where agent_id is not null',
    );
    this.addSql(`create index ledger_entries_of_platform_index on ledger_entries (account_kind) include (delta_minor)
      where agent_id is null`);
  }
}
