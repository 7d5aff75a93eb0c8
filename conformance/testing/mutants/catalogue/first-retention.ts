import { parseCatalogueTable } from '../../catalogue-mutants.ts';

const table = `
removes unattached files after 12 hours | an unattached ready upload is a cleanup candidate after 24 hours | before insert on attachments | new.created_at := new.created_at - interval '12 hours'; return new;
removes unattached files 20 hours too early | an unattached ready upload is a cleanup candidate after 24 hours | before insert on attachments | new.created_at := new.created_at - interval '20 hours'; return new;
removes detached files after one day | files detached or deleted are removed after 30 days | before update on attachments | if new.detached_at is not null and old.detached_at is null then new.detached_at := new.detached_at - interval '29 days'; end if; return new;
does not remove detached files | files detached or deleted are removed after 30 days | before update on attachments | if new.bound_kind is not null then new.detached_at := null; end if; return new;
removes the files of open orders | open orders and disputes are not cleaned | before update on attachments | if new.bound_kind = 'order' then new.detached_at := new.created_at; end if; return new;
removes the files of disputed orders | open orders and disputes are not cleaned | after update on orders | if new.state = 'disputed' then update attachments set detached_at = new.updated_at where bound_kind = 'order' and bound_id = new.id; end if; return null;
keeps the content of messages for 60 days | message content is kept 90 days from creation | PLATFORM_MESSAGE_DAYS=60
keeps the content of messages for 120 days | message content is kept 90 days from creation | PLATFORM_MESSAGE_DAYS=120
forgets the ids of expired messages | identifiers and nonces stay to prevent reuse | after update on messages | if new.ciphertext is null then delete from messages where id = new.id; end if; return null;
`;

export default parseCatalogueTable(table);
