import { parseCatalogueTable } from '../../catalogue-mutants.ts';
import { idIn, parseJsonObject, refusal, tokenOf } from '../../faults.ts';
import { type FaultyBuild, queryStore } from '../../faulty-build.ts';
import { withFaultyStatements } from '../../faulty-statements.ts';
import { isOrderAction, isOrderCommand } from '../../order-faults.ts';
import type { ProxiedRequest } from '../../passing.ts';
import { refuseConcurrent, repeatReplies } from '../../stateful-faults.ts';

// Faults inside the server with repeated and concurrent commands, such as repeated effects on credits.

const table = `
answers strangers who repeat an action | other agents get 404 | = answers strangers
refuses a repeat that arrives while the first is handled | an identical repeat returns the stored result | = busy repeats
forgets the commands of a closed order | an identical repeat returns the stored result | = forgets closed orders
compares the version before it finds a repeat | an identical repeat returns the stored result | = compares versions first
wants the price again for a repeated accept | an identical repeat returns the stored result without a new posting | = price of a repeat
wants the friendship again for a repeated offer | an identical repeat returns the stored result | = friendship of a repeat
reserves again for a repeated accept | a repeat makes no new posting | = reserves again
pays again for a repeated completion | a repeat makes no new posting | = pays again
returns credits again for a repeated approval | a repeat makes no new posting | = returns again
makes a version of a repeat | a repeat returns the stored result | = counts repeats
announces a repeat as a new version | order.changed: version of the order | = announces repeats
accepts two orders at once with credits for one | accept: the available balance covers total_minor | = credits for one
pays twice for two completions at once | complete: the contractor receives amount_minor | = completions at once
`;

type Row = Readonly<Record<string, unknown>>;

/** Makes a build in which the statement that looks up an earlier command returns a changed row. */
function knows(statement: string, change: (row: Row) => Row): FaultyBuild {
  return withFaultyStatements({
    [statement]: async (values, send) => {
      const row = await send(values);
      const isKnown = row !== undefined && typeof row['is_repeat'] === 'boolean';
      return isKnown ? { ...row, ...change(row) } : row;
    },
  });
}

interface Asked {
  readonly method: string;
  readonly url: string;
  readonly body: unknown;
  readonly agentId: string | undefined;
}

/** The action, agent id, order id and operation id of an order command; the action of a creation is `orders`. */
function commandOf({ method, url, body, agentId = '' }: Asked) {
  const action = url.split('/').at(-1) ?? '';
  const isCommand = method === 'POST' && (url.endsWith('/orders') || /\/orders\/[^/]+\/[a-z-]+$/.test(url));
  const sent = isCommand && body instanceof Uint8Array ? parseJsonObject(Buffer.from(body).toString()) : undefined;
  return { action, agentId, orderId: idIn(url), operationId: idIn(`${sent?.['operation_id']}`) };
}

const isDone = (agentId: string, operationId: string) =>
  `exists (select from operations where agent_id = '${agentId}' and operation_id = '${operationId}')`;

/** Refuses a repeated command with the error code that an SQL query returns. */
function beforeRepeat(action: string, query: (agentId: string, orderId: string) => string): FaultyBuild {
  return {
    hooks: (http, store) => {
      http.addHook('preHandler', async (request, reply) => {
        const command = commandOf(request);
        if (command.action !== action || command.operationId === '') return;
        const { agentId, orderId, operationId } = command;
        const [row] = await queryStore(store, `${query(agentId, orderId)} and ${isDone(agentId, operationId)}`);
        const error = { code: row?.['code'], message: 'No.' };
        if (row !== undefined) await reply.code(error.code === 'friendship_required' ? 403 : 409).send({ error });
      });
    },
  };
}

/** Runs a statement after a repeated command. */
function afterRepeat(action: string, statement: (orderId: string) => string): FaultyBuild {
  const done = new Set<string>();
  return {
    hooks: (http, store) => {
      http.addHook('onSend', async (request, reply, payload) => {
        const command = commandOf(request);
        if (reply.statusCode >= 300 || command.operationId === '' || command.orderId === '') return payload;
        const key = `${command.agentId} ${command.operationId}`;
        const isMeant = done.has(key) && (action === '' || action === command.action);
        done.add(key);
        if (isMeant) await queryStore(store, statement(command.orderId));
        return payload;
      });
    },
  };
}

/** Runs a statement before an agent's action if the same action of the agent is already being handled. */
function whileBusy(action: string, statement: (orderId: string) => string): FaultyBuild {
  const running = new Map<string, number>();
  const keys = new WeakMap<object, string>();
  return {
    hooks: (http, store) => {
      http.addHook('preHandler', async (request) => {
        const command = commandOf(request);
        if (command.action !== action || command.operationId === '') return;
        const before = running.get(command.agentId) ?? 0;
        running.set(command.agentId, before + 1);
        keys.set(request, command.agentId);
        if (before > 0) await queryStore(store, statement(command.orderId));
      });
      http.addHook('onSend', async (request, _reply, payload) => {
        const key = keys.get(request);
        if (key !== undefined) running.set(key, (running.get(key) ?? 1) - 1);
        return payload;
      });
    },
  };
}

const credits = (party: 'customer' | 'contractor', change: string) => (orderId: string) =>
  `update wallets set available_minor = available_minor ${change}
   from orders where orders.id = '${orderId}' and agent_id = ${party}_id`;

const operationOf = (sent: ProxiedRequest) => `${tokenOf(sent)} ${parseJsonObject(sent.body)?.['operation_id']}`;

export default parseCatalogueTable(table, {
  faults: {
    'answers strangers': repeatReplies((sent) => (isOrderAction(sent) ? `${sent.path} ${sent.body}` : undefined)),
    'busy repeats': refuseConcurrent(isOrderCommand, refusal(409, 'idempotency_conflict'), operationOf),
  },
  builds: {
    'forgets closed orders': knows('context-of-action', ({ state }) => (state === 'closed' ? { is_repeat: null } : {})),
    'compares versions first': knows('context-of-action', ({ is_repeat }) => (is_repeat ? { is_repeat: null } : {})),
    'price of a repeat': beforeRepeat('accept', (agentId, orderId) => {
      const price = `(select total_minor from orders where id = '${orderId}')`;
      return `select 'insufficient_funds' as code from wallets where agent_id = '${agentId}' and available_minor < ${price}`;
    }),
    'friendship of a repeat': beforeRepeat('orders', (agentId) => {
      return `select 'friendship_required' as code from contacts where state = 'blocked' and '${agentId}' in (first_id, second_id)`;
    }),
    'reserves again': afterRepeat('accept', credits('customer', '- least(available_minor, total_minor)')),
    'pays again': afterRepeat('complete', credits('contractor', '+ amount_minor')),
    'returns again': afterRepeat('approve-refund', credits('customer', '+ total_minor')),
    'counts repeats': afterRepeat('', (id) => `update orders set version = version + 1 where id = '${id}'`),
    'announces repeats': afterRepeat(
      '',
      (id) => `insert into events (agent_id, event_id, kind, payload, created_at)
        select contractor_id, gen_random_uuid(), 'order.changed',
          json_build_object('order_id', id, 'status', state, 'version', version + 1), now()
        from orders where id = '${id}'`,
    ),
    'credits for one': whileBusy('accept', credits('customer', '+ total_minor')),
    'completions at once': whileBusy(
      'complete',
      (id) => `insert into wallets (agent_id, available_minor, reserved_minor)
        select contractor_id, amount_minor, 0 from orders where id = '${id}'
        on conflict (agent_id) do update set available_minor = wallets.available_minor + excluded.available_minor`,
    ),
  },
});
