import { type Books, openBooks } from './books.ts';
import { isObject, type JsonObject, textsOf } from './json.ts';
import { codeOf, demand, demandMember, demandObject, demandStatus, isTimestamp } from './judge.ts';
import { type OrderAction, orderActions, orderSteps, type Role, refusalsOf } from './order-steps.ts';
import {
  askForAction,
  askForOrder,
  bodyOf,
  demandOrder,
  demandParticipants,
  demandUnchanged,
  type Market,
  readOrder,
  type SeenOrder,
  seeOrder,
  termsOf,
} from './ordering.ts';
import { isSameId } from './records.ts';
import type { Run } from './run.ts';
import type { Exchange } from './wire.ts';

/** The life of one order, in which every step is judged: state, version, history and the credits of both. */
export interface Walk {
  /** Does what has to work. */
  step(action: OrderAction, role: Role): Promise<void>;
  /**
   * Asks for whatever each of the two must be refused here for one reason, the role or the state,
   * and sees that nothing comes of it.
   */
  askForTheRest(): Promise<void>;
  /** Sends everything again that was done: each is answered as it was, and nothing comes of it. */
  repeatAll(): Promise<void>;
  /** Looks at history and ledgers. */
  end(): Promise<void>;
}

interface Done {
  readonly action: OrderAction | 'create';
  readonly role: Role;
  readonly body: JsonObject;
  readonly answer: Exchange;
}

/** Begins a walk with an offer. */
export async function beginWalk(run: Run, market: Market, author: Role, amountMinor: number): Promise<Walk> {
  const books = await openBooks(run, market);
  const terms = termsOf(market, author, amountMinor);
  const created = await askForOrder(run, market[author], terms);
  demandStatus(created, 201);
  let order = seeOrder(created, author);
  let proposer: Role | undefined;
  const done: Done[] = [{ action: 'create', role: author, body: terms, answer: created }];
  await books.move({});
  return {
    step: async (action, role) => {
      const body = bodyOf(action, role, order);
      const answer = await askForAction(run, market[role], order.id, action, body);
      demandStep(answer, order, action, market);
      if (action === 'propose-refund') proposer = role;
      order = seeOrder(answer, author);
      done.push({ action, role, body, answer });
      await books.move(movesOf(action, order));
    },
    askForTheRest: async () => {
      for (const action of orderActions) {
        for (const role of ['customer', 'contractor'] as const) {
          const right = refusalsOf(action, role, { state: order.state, author, proposer });
          const isTwice = right.some(({ status }) => status === 403) && right.some(({ status }) => status === 409);
          if (right.length === 0 || isTwice) continue;
          const answer = await askForAction(run, market[role], order.id, action, bodyOf(action, role, order));
          const code = codeOf(answer);
          const isRight = right.some((one) => one.code === code && isStatus(answer.status, one.status));
          const codes = [...new Set(right.map((one) => one.code))].join(' or ');
          demand(
            isRight,
            `${action} by the ${role} of an order that is ${order.state}: ${answer.status} ${code} instead of ${codes}`,
            answer,
          );
        }
      }
      await demandUnchanged(run, market, order);
      await books.move({});
    },
    repeatAll: async () => {
      for (const one of done) await demandStored(await repeat(run, market, order.id, one), one);
      await demandUnchanged(run, market, order);
      await books.move({});
    },
    end: async () => {
      await demandHistory(run, market, order, done);
      await books.close();
    },
  };
}

function isStatus(seen: number, stated: number | undefined): boolean {
  return stated === undefined ? seen >= 400 && seen < 500 : seen === stated;
}

/** Demands that an answer shows what an action makes of an order. */
export function demandStep(answer: Exchange, before: SeenOrder, action: OrderAction, market: Market): void {
  demandStatus(answer, 200);
  const order = demandOrder(answer);
  const { to, outcome } = orderSteps[action];
  const { version, price } = seeOrder(answer, before.author);
  demand(isSameId(order['id'], before.id), 'the answer is another order', answer);
  demandMember(order, 'state', to, answer);
  demand(version > before.version, `the version went from ${before.version} to ${version}`, answer);
  demandMember(order, 'amount_minor', before.price.amountMinor, answer);
  demandMember(order, 'total_minor', before.price.totalMinor, answer);
  demand(price.feeMinor === before.price.feeMinor, 'the commission is another one', answer);
  if (outcome !== undefined) demandMember(order, 'outcome', outcome, answer);
  demandParticipants(order, market, answer);
}

function movesOf(action: OrderAction, { price }: SeenOrder): Parameters<Books['move']>[0] {
  const { amountMinor, totalMinor } = price;
  switch (orderSteps[action].credits) {
    case 'reserve':
      return { customer: { available: -totalMinor, reserved: totalMinor } };
    case 'pay':
      return {
        customer: { available: 0, reserved: -totalMinor },
        contractor: { available: amountMinor, reserved: 0 },
      };
    case 'return':
      return { customer: { available: totalMinor, reserved: -totalMinor } };
    default:
      return {};
  }
}

function repeat(run: Run, market: Market, id: string, { action, role, body }: Done): Promise<Exchange> {
  return action === 'create' ? askForOrder(run, market[role], body) : askForAction(run, market[role], id, action, body);
}

/** Demands the stored answer of an operation: what was told of the order then. */
async function demandStored(again: Exchange, { answer }: Done): Promise<void> {
  demandStatus(again, 200);
  const [stored, first] = [demandOrder(again), demandOrder(answer)];
  demand(isSameId(stored['id'], String(first['id'])), 'the answer is another order', again);
  for (const name of ['state', 'version', 'amount_minor', 'total_minor', 'outcome', 'result_text']) {
    demandMember(stored, name, first[name], again);
  }
}

/** Demands that the history tells of every step; what its members are called is not stated. */
async function demandHistory(run: Run, market: Market, order: SeenOrder, done: readonly Done[]): Promise<void> {
  for (const reader of [market.customer, market.contractor]) {
    const read = await readOrder(run, reader, order.id);
    demandStatus(read, 200);
    demandOrder(read);
    const { events } = demandObject(read) as { readonly events?: unknown };
    demand(Array.isArray(events) && events.every(isObject), '"events" is no list of records', read);
    // Whether the creation is a change that the history lists is not stated.
    for (const { action, role, answer } of done.slice(1)) {
      const { version, state } = demandOrder(answer);
      const told = events.filter((event) => holds(event, version));
      demand(told.length === 1, `${told.length} entries tell of version ${version}, made by ${action}`, read);
      const texts = textsOf(told[0]).map(({ text }) => text);
      demand(texts.includes(String(state)), `the entry of ${action} does not tell the state ${state}`, read);
      demand(
        texts.some((text) => isSameId(text, market[role].id)),
        `the entry of ${action} does not tell who`,
        read,
      );
      demand(texts.some(isTimestamp), `the entry of ${action} does not tell when`, read);
    }
  }
}

function holds(value: unknown, wanted: unknown): boolean {
  if (typeof value !== 'object' || value === null) return value === wanted;
  return Object.values(value).some((member) => holds(member, wanted));
}
