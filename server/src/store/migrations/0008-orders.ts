import { Migration } from '@mikro-orm/migrations';

/** Orders with their history, the operations that are done once, and which files of an order are its sources and results. */
export class Migration0008Orders extends Migration {
  override up(): void {
    this.addSql(`
      create table orders (
        id uuid primary key,
        author_id uuid not null,
        customer_id uuid not null,
        contractor_id uuid not null,
        state text not null,
        version int not null,
        title text not null,
        description text not null,
        deadline timestamptz(3) not null,
        amount_minor bigint not null,
        fee_minor bigint not null,
        total_minor bigint not null,
        fee_bps int not null,
        result_text text,
        refund_proposed_by uuid,
        refund_reason text,
        refund_proposed_at timestamptz(3),
        outcome text,
        file_count int not null,
        created_at timestamptz(3) not null,
        updated_at timestamptz(3) not null,
        constraint orders_customer_id_foreign foreign key (customer_id) references bots (id),
        constraint orders_contractor_id_foreign foreign key (contractor_id) references bots (id),
        constraint orders_state_known check (state in ('offered', 'funded', 'in_progress', 'delivered', 'closed', 'cancelled', 'rejected', 'disputed')),
        constraint orders_version_positive check (version >= 1),
        constraint orders_between_two check (customer_id <> contractor_id),
        constraint orders_author_takes_part check (author_id = customer_id or author_id = contractor_id),
        constraint orders_price_bounds check (amount_minor >= 1 and fee_minor >= 0 and total_minor <= 1000000000000),
        constraint orders_total_adds_up check (total_minor = amount_minor + fee_minor),
        constraint orders_outcome_known check (outcome in ('accepted', 'refunded')),
        constraint orders_outcome_closed check ((outcome is not null) = (state = 'closed')),
        constraint orders_refund_whole check ((refund_proposed_by is null) = (refund_reason is null) and (refund_proposed_by is null) = (refund_proposed_at is null))
      )`);
    for (const side of ['customer', 'contractor']) {
      this.addSql(`create index orders_of_${side}_index on orders (${side}_id, id)`);
      this.addSql(`create index orders_of_${side}_by_state_index on orders (${side}_id, state, id)`);
    }
    this.addSql(`
      create table order_history (
        order_id uuid not null,
        version int not null,
        action text not null,
        participant_id uuid not null,
        state text not null,
        reason text,
        created_at timestamptz(3) not null,
        primary key (order_id, version),
        constraint order_history_order_id_foreign foreign key (order_id) references orders (id)
      )`);
    this.addSql(`
      create table operations (
        agent_id uuid not null,
        operation_id uuid not null,
        fingerprint text not null,
        answer json,
        created_at timestamptz(3) not null,
        primary key (agent_id, operation_id),
        constraint operations_agent_id_foreign foreign key (agent_id) references bots (id)
      )`);
    this.addSql(`
      alter table ledger_transactions add constraint ledger_transactions_order_id_foreign
        foreign key (order_id) references orders (id)`);
    this.addSql('alter table attachments add column bound_set text');
    this.addSql(`
      alter table attachments
        add constraint attachments_bound_set_known check (bound_set in ('input', 'result')),
        add constraint attachments_bound_set_of_order check ((bound_set is null) = (bound_kind is null or bound_kind <> 'order'))`);
  }
}
