import { parseCatalogueTable } from '../../catalogue-mutants.ts';
import { changeRequests, idIn, isAbout, type MutableObject, parseJsonObject, refusal, tokenOf } from '../../faults.ts';
import { type FaultyBuild, queryStore } from '../../faulty-build.ts';
import type { Fault } from '../../passing.ts';

// Faults in dialogs: who may write in them, how they are listed, and how long their messages are stored.

const sending = 'POST /api/v1/messages';

const table = `
sends to an agent that has not accepted | messages need an accepted contact | = sends to requested
sends to a blocked agent | messages need an accepted contact | = sends to blocked
sends for the one who asked for the friendship alone | messages need an accepted contact, of either side | = requester sends
sends nothing after the first message of a dialog | POST /messages: 201 new | = one message
shows the envelope of a dialog with a foreign recipient | a message carries its envelope | GET /messages* -> map messages[].recipient_id sender
shows the key of the recipient as that of the sender | a message carries its envelope | before insert on messages | new.sender_public_key := new.recipient_public_key; return new;
shows both keys exchanged | a message carries its envelope | GET /messages* -> map messages exchanged
keeps 8 KiB of a ciphertext | ciphertext: up to 16384 bytes | before insert on messages | new.ciphertext := substring(new.ciphertext for 8192); return new;
drops the last byte of a ciphertext | ciphertext: up to 16384 bytes | before insert on messages | new.ciphertext := substring(new.ciphertext for octet_length(new.ciphertext) - 1); return new;
answers without a peer with an empty list | GET /messages: peer is required | = no peer
empties a dialog on a block | message content is kept 90 days | after update on contacts | if new.state = 'blocked' then delete from messages where contact_id = new.id; end if; return null;
deletes a message with its ack | message content is kept 90 days | after delete on events | if old.kind = 'message.created' then delete from messages where id = (old.payload ->> 'id')::uuid; end if; return null;
keeps the last message of a dialog alone | message content is kept 90 days | after insert on messages | delete from messages where contact_id = new.contact_id and id < new.id; return null;
keeps content for 89 days | message content is kept 90 days | PLATFORM_MESSAGE_DAYS=89
keeps content forever | message content is kept 90 days | PLATFORM_MESSAGE_DAYS=0
keeps a dialog as long as its last message | message content is kept 90 days from creation | before insert on messages | update messages set expires_at = new.expires_at where contact_id = new.contact_id; return new;
forgets the id of an expired message | identifiers stay to prevent reuse | after update on messages | if new.ciphertext is null and old.ciphertext is not null then delete from messages where id = new.id; end if; return null;
forgets the nonce of an expired message | nonces stay to prevent reuse | after update on messages | if new.ciphertext is null and old.ciphertext is not null then update messages set nonce = decode(md5(random()::text), 'hex') where id = new.id; end if; return null;
`;

const eachOf = (change: (message: MutableObject) => MutableObject) => (list: unknown) =>
  Array.isArray(list) ? list.map(change) : list;
export default parseCatalogueTable(table, {
  values: {
    sender: (_: unknown, message: MutableObject) => message['sender_id'],
    exchanged: eachOf((message) => ({
      ...message,
      sender_public_key: message['recipient_public_key'],
      recipient_public_key: message['sender_public_key'],
    })),
  },
  faults: {
    'one message': oneMessage,
    'no peer': changeRequests(
      (sent) => isAbout(sent, 'GET /api/v1/messages*') && !sent.path.includes('peer='),
      () => ({ status: 200, headers: {}, body: '{"messages":[],"next_before":null}' }),
    ),
  },
  builds: {
    'sends to requested': countsAsFriends('requested'),
    'sends to blocked': countsAsFriends('blocked'),
    'requester sends': requesterSends(),
  },
});

function oneMessage(): Fault {
  const ids = new Map<string, string>();
  return changeRequests(
    (sent) => {
      const body = isAbout(sent, sending) ? parseJsonObject(sent.body) : undefined;
      if (body === undefined || body['nonce'] === undefined) return false;
      const dialog = `${tokenOf(sent)} ${body['recipient_id']}`;
      const id = `${body['client_message_id']}`;
      const first = ids.get(dialog) ?? id;
      ids.set(dialog, first);
      return first !== id;
    },
    () => refusal(403, 'contact_not_accepted'),
  );
}

/** The sender and recipient of a message, with ids that are safe in an SQL statement; undefined for other requests. */
function envelopeOf(request: {
  readonly method: string;
  readonly url: string;
  readonly body: unknown;
  readonly agentId: string | undefined;
}) {
  if (request.method !== 'POST' || !request.url.endsWith('/messages')) return undefined;
  const body = request.body instanceof Uint8Array ? parseJsonObject(Buffer.from(request.body).toString()) : undefined;
  const recipientId = idIn(`${body?.['recipient_id']}`);
  return recipientId === '' || request.agentId === undefined ? undefined : { sender: request.agentId, recipientId };
}

/** Treats two agents whose contact has this state as friends while one of them sends a message. */
function countsAsFriends(state: string): FaultyBuild {
  const lent = new WeakMap<object, readonly unknown[]>();
  return {
    hooks: (http, store) => {
      http.addHook('preHandler', async (request) => {
        const { sender, recipientId } = envelopeOf(request) ?? {};
        if (sender === undefined) return;
        const rows = await queryStore(
          store,
          `update contacts set state = 'friends' where state = '${state}' and '${sender}' in (first_id, second_id)
           and '${recipientId}' in (first_id, second_id) returning id`,
        );
        lent.set(
          request,
          rows.map(({ id }) => id),
        );
      });
      http.addHook('onSend', async (request, _reply, payload) => {
        for (const id of lent.get(request) ?? []) {
          await queryStore(store, `update contacts set state = '${state}' where id = '${id}'`);
        }
        return payload;
      });
    },
  };
}

function requesterSends(): FaultyBuild {
  return {
    hooks: (http, store) => {
      http.addHook('preHandler', async (request, reply) => {
        const { sender, recipientId } = envelopeOf(request) ?? {};
        if (sender === undefined) return;
        const asked = await queryStore(
          store,
          `select 1 from contacts where requester_id = '${recipientId}' and '${sender}' in (first_id, second_id)`,
        );
        if (asked.length > 0) await reply.code(403).send({ error: { code: 'contact_not_accepted', message: 'No.' } });
      });
    },
  };
}
