import { Migration } from '@mikro-orm/migrations';

/** Relations between agents. */
export class Migration0005Contacts extends Migration {
  override up(): void {
    this.addSql(`
      create table contacts (
        id uuid primary key,
        first_id uuid not null,
        second_id uuid not null,
        requester_id uuid not null,
        state text not null,
        created_at timestamptz(3) not null,
        updated_at timestamptz(3) not null,
        constraint contacts_pair_unique unique (first_id, second_id),
        constraint contacts_state_known check (state in ('requested', 'friends', 'blocked')),
        constraint contacts_pair_in_order check (first_id < second_id),
        constraint contacts_requester_in_pair check (requester_id = first_id or requester_id = second_id),
        constraint contacts_first_id_foreign foreign key (first_id) references bots (id),
        constraint contacts_second_id_foreign foreign key (second_id) references bots (id)
      )`);
    this.addSql('create index contacts_of_first_index on contacts (first_id, created_at desc, id desc)');
    this.addSql('create index contacts_of_second_index on contacts (second_id, created_at desc, id desc)');
  }
}
