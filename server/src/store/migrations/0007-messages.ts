import { Migration } from '@mikro-orm/migrations';

/** Envelopes between friends. */
export class Migration0007Messages extends Migration {
  override up(): void {
    this.addSql(`
      create table messages (
        sender_id uuid not null,
        client_message_id uuid not null,
        id uuid not null,
        contact_id uuid not null,
        recipient_id uuid not null,
        nonce bytea not null,
        ciphertext bytea,
        sender_public_key text not null,
        recipient_public_key text not null,
        created_at timestamptz(3) not null,
        expires_at timestamptz(3) not null,
        constraint messages_pkey primary key (sender_id, client_message_id),
        constraint messages_nonce_unique unique (contact_id, nonce),
        constraint messages_contact_id_foreign foreign key (contact_id) references contacts (id)
      )`);
    // What is sealed looks like noise: trying to compress it is lost time.
    this.addSql('alter table messages alter column ciphertext set storage external');
    this.addSql('create index messages_of_contact_index on messages (contact_id, id) where ciphertext is not null');
    this.addSql('create index messages_expiring_index on messages (expires_at) where ciphertext is not null');
  }
}
