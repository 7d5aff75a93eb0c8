import { setTimeout as sleep } from 'node:timers/promises';
import type { App } from '@agent-platform/server';
import { idIn, parseJsonObject } from '../faults.ts';
import { type FaultyBuild, parseBuildTable, queryStore, withFaultyStore } from '../faulty-build.ts';

interface Constraint {
  readonly name: string;
  readonly definition: string;
  readonly columns: string;
}

const nonces: Constraint = { name: 'messages_nonce_unique', definition: 'unique', columns: 'contact_id, nonce' };
const ids: Constraint = { name: 'messages_pkey', definition: 'primary key', columns: 'sender_id, client_message_id' };

const uuid = /^[0-9a-f-]{36}$/;

// Waits for a second call, so that both requests pass the check before either writes, even on a busy machine.
let meet: (() => void) | undefined;
async function untilTwoMeet(): Promise<void> {
  if (meet === undefined) {
    const { promise, resolve } = Promise.withResolvers<void>();
    meet = resolve;
    await Promise.race([promise, sleep(2_000)]);
  } else meet();
  meet = undefined;
}

const blocks = 'block-request block-friends';
const acceptsMutual = (agent: string, { recipient_id: other }: Readonly<Record<string, unknown>>) =>
  change(
    `state = 'friends'`,
    `requester_id = '${other}' and '${agent}' in (first_id, second_id) and state = 'requested'`,
  );

export const friendshipBuilds = parseBuildTable(
  'contacts',
  `
makes a friend of every recipient of a request | request mutual envelopes.not-accepted | before insert on contacts | new.state := 'friends'; return new;
stores no acceptance | accept messages.sealed | before update on contacts | if new.state = 'friends' then return old; end if; return new;
stores no block | ${blocks} messages.blocked | before update on contacts | if new.state = 'blocked' then return old; end if; return new;
blocks friends alone | block-request | before update on contacts | if old.state = 'requested' and new.state = 'blocked' then return old; end if; return new;
removes the history with a block | messages.history | after update on contacts | if new.state = 'blocked' then delete from messages where contact_id = new.id; end if; return new;
stores a ciphertext without its last byte | messages.sealed messages.opaque messages.repeat | before insert on messages | new.ciphertext := substring(new.ciphertext for length(new.ciphertext) - 1); return new;
lets what it stores expire at once | messages.sealed messages.order messages.history | before insert on messages | new.expires_at := new.created_at; return new;
treats a mutual request as an acceptance | mutual | = mutualRequests
lets either of two accept | accept | = eitherAccepts
forgets a block when it is asked again | ${blocks} | = forgetsBlock
has no index of used nonces | messages.nonce messages.parallel-nonce | = noNonces
checks for a message and writes it later | messages.parallel | = writesLater
answers a message that is there, whatever comes under its id | messages.conflict | = answersKnown
takes a byte more than a ciphertext may have | envelopes.ciphertext-bounds | = takesMore
takes messages from the recipient of a request | envelopes.not-accepted | = mutualMessages
reads the dialogs of any named agent | messages.third | = readsAny
lists the contacts of everybody | stranger | = listsAll
reads lists from the beginning always | list messages.pages | = fromBeginning
has a clock that runs backwards | list | = backwards
`,
  {
    mutualRequests: before('POST', /contacts\/requests$/, acceptsMutual),
    eitherAccepts: before('POST', /\/accept$/, (agent, _body, id) =>
      change(
        `requester_id = case first_id when '${agent}' then second_id else first_id end`,
        `id = '${id}' and state = 'requested'`,
      ),
    ),
    forgetsBlock: before('POST', /contacts\/requests$/, (agent, { recipient_id: other }) =>
      change(
        `state = 'requested', requester_id = '${agent}'`,
        `state = 'blocked' and '${agent}' in (first_id, second_id) and '${other}' in (first_id, second_id)`,
      ),
    ),
    noNonces: { database: withoutConstraints([nonces]) },
    writesLater: {
      database: withoutConstraints([nonces, ids]),
      ...withFaultyStore('ask', (store) => async (statement, values) => {
        if (statement.name === 'insert-message') await untilTwoMeet();
        return await store.ask(statement, values);
      }),
    },
    answersKnown: {
      hooks: (http, store) => {
        http.addHook('preHandler', async (request, reply) => {
          const isSent = request.method === 'POST' && request.url === '/api/v1/messages';
          const id = isSent ? bodyOf(request)['client_message_id'] : '';
          if (!uuid.test(String(id))) return;
          const known = await queryStore(store, `select id from messages where client_message_id = '${id}'`);
          if (known.length > 0) await reply.code(200).send({ message: { id: known[0]?.['id'] } });
        });
      },
    },
    takesMore: {
      hooks: (http) => {
        http.addHook('preHandler', async (request) => {
          const { ciphertext, ...rest } = bodyOf(request);
          const bytes = Buffer.from(String(ciphertext), 'base64');
          if (bytes.length !== 16_385) return;
          request.body = Buffer.from(JSON.stringify({ ...rest, ciphertext: bytes.subarray(1).toString('base64') }));
        });
      },
    },
    mutualMessages: before('POST', /\/messages$/, acceptsMutual),
    readsAny: {
      hooks: (http, store) => {
        http.addHook('preSerialization', async (request, reply, payload) => {
          const peer = /\/messages\?peer=([0-9a-f-]{36})/.exec(request.url)?.[1];
          if (peer === undefined || reply.statusCode === 401) return payload;
          reply.code(200);
          const columns = `id, replace(encode(ciphertext, 'base64'), e'\\n', '') as ciphertext`;
          const statement = `select ${columns} from messages where '${peer}' in (sender_id, recipient_id)`;
          return { messages: await queryStore(store, statement) };
        });
      },
    },
    listsAll: {
      hooks: (http, store) => {
        http.addHook('preSerialization', async (request, reply, payload) => {
          if (request.url !== '/api/v1/contacts' || reply.statusCode !== 200) return payload;
          const contacts = await queryStore(store, 'select id as contact_id, state as status from contacts');
          return { ...(payload as object), contacts };
        });
      },
    },
    fromBeginning: {
      hooks: (http) => {
        http.addHook('preHandler', async ({ raw }) => {
          raw.url = raw.url?.replace(/[?&]before=[^&]*/, '') ?? '';
        });
      },
    },
    backwards: {
      clock: (clock) => {
        let seconds = 0;
        return () => {
          seconds += 1;
          return new Date(clock().getTime() - seconds * 1_000);
        };
      },
    },
  },
);

function before(
  method: string,
  path: RegExp,
  statementFor: (agentId: string, body: Readonly<Record<string, unknown>>, id: string) => string,
): FaultyBuild {
  return {
    hooks: (http: App['http'], store) => {
      http.addHook('preHandler', async (request) => {
        const body = bodyOf(request);
        const isMeant = request.method === method && path.test(request.url) && request.agentId !== undefined;
        const isWhole = body['recipient_id'] === undefined || uuid.test(String(body['recipient_id']));
        if (isMeant && isWhole) await queryStore(store, statementFor(request.agentId ?? '', body, idIn(request.url)));
      });
    },
  };
}

function change(assignments: string, where: string): string {
  return `update contacts set ${assignments} where ${where}`;
}

function bodyOf({ body }: { readonly body: unknown }): Readonly<Record<string, unknown>> {
  return body instanceof Uint8Array ? (parseJsonObject(Buffer.from(body).toString()) ?? {}) : {};
}

/** Removes the constraints that prevent duplicate messages; restores them after removing the duplicates. */
function withoutConstraints(constraints: readonly Constraint[]): NonNullable<FaultyBuild['database']> {
  return {
    breaking: constraints.map(({ name }) => `alter table messages drop constraint ${name}`),
    repair: constraints.flatMap(({ name, definition, columns }) => [
      `delete from messages where ctid not in (select min(ctid) from messages group by ${columns})`,
      `alter table messages add constraint ${name} ${definition} (${columns})`,
    ]),
  };
}
