import { randomUUID } from 'node:crypto';
import { freshDatabase, type ServerProcess, scaleRepetitions, startServerProcess } from '@agent-platform/testing';
import { copyEmptyDatabase } from '@agent-platform/testing/embedded-database';
import { describe, expect, inject, it } from 'vitest';
import { makeInstallation } from '../../testing/installation.ts';
import { oneHourFromNow } from '../../testing/scenarios/orders.ts';
import { makeRegistration } from '../../testing/test-server.ts';

// There are fewer kills with PGlite, because the start of the server takes most of the time.
const killsOf = { PGlite: scaleRepetitions(8), PostgreSQL: scaleRepetitions(20) } as const;
const pairs = 6;
const grantMinor = 1_000_000;
const unlimited = {
  PLATFORM_WRITES_PER_MINUTE: '0',
  PLATFORM_REQUESTS_PER_ADDRESS_PER_MINUTE: '0',
};

/** A robust client records each command before it sends it. */
interface Command {
  readonly token: string;
  readonly path: string;
  readonly body: object;
}

interface Agent {
  readonly id: string;
  readonly token: string;
}

interface OrderSeen {
  readonly id: string;
  readonly state: string;
  readonly version: number;
}

/** Two agents that complete one order after another and record every response. */
class Trade {
  readonly customer: Agent;
  readonly contractor: Agent;
  /** All responses with their commands. */
  readonly acknowledged: (readonly [Command, string])[] = [];
  /** A sent command without a response. */
  pending: Command | undefined;
  closed = 0;
  repeats = 0;
  #order: OrderSeen | undefined;

  constructor(customer: Agent, contractor: Agent) {
    this.customer = customer;
    this.contractor = contractor;
  }

  /** Trades until the server stops responding. */
  async trade(url: string): Promise<void> {
    for (;;) {
      if (this.pending === undefined) this.pending = this.#next();
      else this.repeats += 1;
      const answer = await send(url, this.pending).catch(() => undefined);
      if (answer === undefined) return;
      this.acknowledged.push([this.pending, answer]);
      this.pending = undefined;
      const { order } = JSON.parse(answer) as { readonly order: OrderSeen };
      this.#order = order.state === 'closed' ? undefined : order;
      if (order.state === 'closed') this.closed += 1;
    }
  }

  /** The credits reserved for the open order, or 0 if there is none. */
  get reservedMinor(): number {
    return this.#order === undefined || this.#order.state === 'offered' ? 0 : 1_100;
  }

  #next(): Command {
    const { customer, contractor } = this;
    const operation_id = randomUUID();
    const order = this.#order;
    if (order === undefined) {
      const body = {
        operation_id,
        title: 'x',
        deadline: oneHourFromNow(),
        amount_minor: 1_000,
        customer_id: customer.id,
      };
      return { token: contractor.token, path: '/api/v1/orders', body };
    }
    const steps: Readonly<Record<string, readonly [Agent, string, object]>> = {
      offered: [customer, 'accept', { confirmed_total_minor: 1_100 }],
      funded: [contractor, 'start', {}],
      in_progress: [contractor, 'deliver', { result_text: 'r' }],
      delivered: [customer, 'complete', {}],
    };
    const step = steps[order.state];
    if (step === undefined) throw new Error(`No step follows the state ${order.state}.`);
    const [agent, action, words] = step;
    const path = `/api/v1/orders/${order.id}/${action}`;
    return { token: agent.token, path, body: { operation_id, expected_version: order.version, ...words } };
  }
}

async function send(url: string, { token, path, body }: Command): Promise<string> {
  const answer = await fetch(url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(120_000),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Refused(`${path} ${answer.status} ${text}`);
  return text;
}

class Refused extends Error {}

async function read(url: string, token: string, path: string): Promise<unknown> {
  const answer = await fetch(url + path, { headers: { authorization: `Bearer ${token}` } });
  expect(answer.status).toBe(200);
  return await answer.json();
}

async function registerAgent(url: string, handle: string): Promise<Agent> {
  const text = await send(url, { token: 'none', path: '/api/v1/bots/register', body: makeRegistration(handle) });
  const { bot, token } = JSON.parse(text) as { readonly bot: { readonly id: string }; readonly token: string };
  return { id: bot.id, token };
}

async function beginTrades(url: string, grant: (handle: string) => Promise<void>): Promise<readonly Trade[]> {
  return await Promise.all(
    Array.from({ length: pairs }, async (_, index) => {
      const customer = await registerAgent(url, `customer_${index}`);
      const contractor = await registerAgent(url, `contractor_${index}`);
      const request = {
        token: customer.token,
        path: '/api/v1/contacts/requests',
        body: { recipient_id: contractor.id },
      };
      const { contact } = JSON.parse(await send(url, request)) as { readonly contact: { readonly contact_id: string } };
      await send(url, { token: contractor.token, path: `/api/v1/contacts/${contact.contact_id}/accept`, body: {} });
      await grant(`customer_${index}`);
      return new Trade(customer, contractor);
    }),
  );
}

describe('a server that is killed while it handles orders', () => {
  it.each([
    ['PGlite', killsOf.PGlite],
    ['PostgreSQL', killsOf.PostgreSQL],
  ] as const)('loses no response and repeats no command, on %s %i times', async (kind, kills) => {
    const database: Record<string, string> =
      kind === 'PGlite' ? {} : { DATABASE_URL: await freshDatabase(inject('postgresUrl')) };
    const installation = makeInstallation({ ...unlimited, ...database });
    if (kind === 'PGlite') copyEmptyDatabase(installation.dataDir);
    let server: ServerProcess = await startServerProcess(installation.env);
    try {
      const trades = await beginTrades(server.url, async (handle) => {
        const done = await installation.operator('credits', 'grant', handle, String(grantMinor));
        expect(done.exitCode, done.err).toBe(0);
      });
      for (let kill = 0; kill < kills; kill += 1) {
        const trading = Promise.all(trades.map((trade) => trade.trade(server.url)));
        // Each kill occurs at a different point, in the middle of some commands.
        const enough = trades.reduce((sum, { acknowledged }) => sum + acknowledged.length, 0) + 10 + kill;
        await expect
          .poll(() => trades.reduce((sum, { acknowledged }) => sum + acknowledged.length, 0), {
            interval: 1 + (kill % 7),
          })
          .toBeGreaterThan(enough);
        await server.end('SIGKILL');
        await trading;
        server = await startServerProcess(installation.env);
      }
      await finish(server, trades, kills);
      const proof = await installation.operator('ledger', 'verify');
      expect(proof.exitCode, proof.out + proof.err).toBe(0);
      expect(await server.end('SIGTERM'), server.output()).toBe(0);
    } finally {
      await server.end('SIGKILL');
      await installation.stop();
    }
  });
});

/** Repeats the pending command, then verifies all received responses and the credits. */
async function finish(server: ServerProcess, trades: readonly Trade[], kills: number): Promise<void> {
  const { url } = server;
  let answers = 0;
  let repeats = 0;
  for (const trade of trades) {
    for (const [command, answer] of trade.acknowledged) expect(await send(url, command)).toBe(answer);
    answers += trade.acknowledged.length;
    repeats += trade.repeats;
    // The pending command may have been executed; then its repeat must not execute it again.
    if (trade.pending !== undefined) {
      const first = await send(url, trade.pending);
      expect(await send(url, trade.pending)).toBe(first);
      trade.acknowledged.push([trade.pending, first]);
    }
    await expectCredits(url, trade);
  }
  expect(answers).toBeGreaterThan(kills * 10);
  expect(repeats).toBeGreaterThan(kills);
}

async function expectCredits(url: string, { customer, contractor, acknowledged }: Trade): Promise<void> {
  const orders = new Map<string, OrderSeen>();
  for (const [, answer] of acknowledged) {
    const { order } = JSON.parse(answer) as { readonly order: OrderSeen };
    const known = orders.get(order.id);
    if (known === undefined || known.version < order.version) orders.set(order.id, order);
  }
  const closed = [...orders.values()].filter(({ state }) => state === 'closed').length;
  const held = [...orders.values()].filter(({ state }) => state !== 'closed' && state !== 'offered').length;
  expect(await read(url, customer.token, '/api/v1/wallet')).toMatchObject({
    wallet: { available_minor: grantMinor - (closed + held) * 1_100, reserved_minor: held * 1_100 },
  });
  expect(await read(url, contractor.token, '/api/v1/wallet')).toMatchObject({
    wallet: { available_minor: closed * 1_000, reserved_minor: 0 },
  });
  for (const { id, version } of orders.values()) {
    expect(await read(url, customer.token, `/api/v1/orders/${id}`)).toMatchObject({ order: { id, version } });
  }
  // Every existing order must have been acknowledged by a response.
  const list = (await read(url, customer.token, '/api/v1/orders?page_size=50')) as {
    readonly orders: readonly OrderSeen[];
  };
  for (const { id } of list.orders) expect(orders.has(id)).toBe(true);
}
