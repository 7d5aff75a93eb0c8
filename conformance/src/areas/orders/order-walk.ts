import type { Run } from '../../context/check.ts';
import { expect } from '../../context/expectations.ts';
import { ordersPath } from '../../context/paths.ts';
import type { Random } from '../../world/random.ts';
import type { WalkModel } from '../walk.ts';
import { startLedgerCheck } from './ledger-check.ts';
import {
  type CompletedOperation,
  expectActionResult,
  expectStoredAnswer,
  findCreditRequirement,
  findRefusalRequirement,
} from './order-lifecycle.ts';
import { findCorrectRefusals, type OrderAction, type OrderRole, orderActions, orderSteps } from './order-steps.ts';
import { type Order, type OrderParties, orderRoles } from './ordering.ts';

type Command =
  | { readonly do: 'offer'; readonly order: number; readonly author: OrderRole; readonly amountMinor: number }
  | { readonly do: OrderAction; readonly order: number; readonly role: OrderRole }
  /** An order accepts each action at most once, so the name of the action identifies the operation to repeat. */
  | { readonly do: 'repeat'; readonly order: number; readonly what: CompletedOperation['action'] };

interface Walked {
  readonly order: Order;
  readonly state: string;
  /** The state of the order before its last change. */
  readonly before: string;
  readonly proposer: OrderRole | undefined;
  readonly done: readonly CompletedOperation[];
}

interface State {
  readonly orders: Map<number, Walked>;
  readonly ledger: Awaited<ReturnType<typeof startLedgerCheck>>;
}

/** The highest price of an order. */
export const amountMaxMinor = 4;
const openMax = 3;
const finalStates = ['closed', 'cancelled', 'rejected'];
const detours = ['cancelled', 'rejected', 'disputed'];
const turns = orderActions.flatMap((action) => orderRoles.map((role) => ({ action, role })));

/** The maximum cost of this many steps and of ending the orders; the commission at most doubles a price. */
export const orderWalkCost = (steps: number) => ({
  writes: steps + 2 * openMax,
  creditsMinor: 2 * amountMaxMinor * steps,
});

/** A model of orders between two friends, based on the table in §6.39; every step also compares both wallets. */
export function makeOrderModel(parties: OrderParties): WalkModel<State, Command> {
  return {
    start: async () => ({ orders: new Map(), ledger: await startLedgerCheck(parties) }),
    choose: chooseCommand,
    isPossible: ({ orders }, command) => {
      const walked = orders.get(command.order);
      if (command.do === 'repeat') return walked?.done.some(({ action }) => action === command.what) ?? false;
      return (walked === undefined) === (command.do === 'offer');
    },
    perform: async (state, command) => {
      if (command.do === 'offer') return await offer(parties, state, command);
      const walked = state.orders.get(command.order);
      if (walked === undefined) return;
      if (command.do === 'repeat') await repeat(parties, state, walked, command.what);
      else state.orders.set(command.order, await act(parties.run, state, walked, command.do, command.role));
    },
    compare: async ({ orders }) => {
      for (const { order } of orders.values())
        await parties.run.precondition('AP-ORDER-050', () => order.expectUnchanged());
    },
    end: async ({ orders }) => {
      for (const walked of orders.values()) await endOrder(walked);
    },
    recordOf: ({ order }) => order,
    describe: (command) => {
      const number = `order ${command.order}`;
      if (command.do === 'offer') return `offer ${number} for ${command.amountMinor} (${command.author})`;
      return command.do === 'repeat'
        ? `repeat ${command.what === 'create' ? 'offer' : command.what} of ${number}`
        : `${command.do} ${number} (${command.role})`;
    },
  };
}

/** Usually chooses a valid command, so that orders advance; otherwise a repeated, late or random one. */
function chooseCommand({ orders }: State, random: Random): Command {
  const all = [...orders.entries()];
  const open = all.filter(([, { state }]) => !finalStates.includes(state));
  if (all.length === 0 || (open.length < openMax && random.below(8) === 0))
    return {
      do: 'offer',
      order: all.length + 1,
      author: random.of(orderRoles),
      amountMinor: 1 + random.below(amountMaxMinor),
    };
  const [order, walked] = random.of(open.length > 0 && random.below(4) > 0 ? open : all);
  const kind = random.below(10);
  if (kind < 2) return { do: 'repeat', order, what: random.of(walked.done).action };
  const right = turns.filter(({ action, role }) => findCorrectRefusals(action, role, positionOf(walked)).length === 0);
  const earlier = { ...positionOf(walked), state: walked.before, proposer: undefined };
  const late = turns.filter(({ action, role }) => findCorrectRefusals(action, role, earlier).length === 0);
  // Detours are rarely chosen: payment is the longest path, and with equal chances few orders would reach its end.
  const lively = right.filter(({ action }) => random.below(8) === 0 || !detours.includes(orderSteps[action].to));
  const wanted = kind < 7 ? [lively, right] : kind < 9 ? [late] : [];
  const { action, role } = random.of(wanted.find(({ length }) => length > 0) ?? turns);
  return { do: action, order, role };
}

function positionOf({ order: { author }, state, proposer }: Walked) {
  return { author, state, proposer };
}

async function offer(
  parties: OrderParties,
  { orders, ledger }: State,
  { order: number, author, amountMinor }: Extract<Command, { do: 'offer' }>,
): Promise<void> {
  const body = parties.terms(author, amountMinor);
  const answer = await parties[author].post(ordersPath, body);
  const order = await parties.expectOffer(author, answer);
  const done: readonly CompletedOperation[] = [{ action: 'create', role: author, path: ordersPath, body, answer }];
  orders.set(number, { order, state: 'offered', before: 'offered', proposer: undefined, done });
  await parties.run.precondition('AP-ORDER-020', () => ledger.expectChange());
}

async function act(run: Run, { ledger }: State, walked: Walked, action: OrderAction, role: OrderRole): Promise<Walked> {
  const { order, state, proposer, done } = walked;
  const body = order.body(action, role);
  const answer = await order.post([action, role], body);
  const right = findCorrectRefusals(action, role, positionOf(walked));
  if (right.length > 0) {
    await run.precondition(findRefusalRequirement(right), async () => {
      expect.refused(answer, ...right.map(({ code }) => code));
      await order.expectUnchanged();
      await ledger.expectChange();
    });
    return walked;
  }
  await expectActionResult(expect.works(answer), order, action);
  const next = order.after(answer);
  const { to, credits } = orderSteps[action];
  await run.precondition(findCreditRequirement(action), () => ledger.expectChange(credits, order.price));
  await run.precondition('AP-ORDER-050', () => next.expectUnchanged());
  return {
    order: next,
    state: to,
    before: state,
    proposer: action === 'propose-refund' ? role : proposer,
    done: [...done, { action, role, path: order.path(action), body, answer }],
  };
}

async function repeat(parties: OrderParties, { ledger }: State, walked: Walked, what: string): Promise<void> {
  const { order, done } = walked;
  const operation = done.find(({ action }) => action === what);
  if (operation === undefined) return;
  const { role, path, body, answer } = operation;
  await parties.run.precondition(what === 'create' ? 'AP-ORDER-023' : 'AP-ORDER-070', async () => {
    expectStoredAnswer(await parties[role].post(path, body), answer);
    await order.expectUnchanged();
    await ledger.expectChange();
  });
}

async function endOrder({ order, state, proposer }: Walked): Promise<void> {
  if (finalStates.includes(state)) return;
  if (state === 'offered') await order.act('cancel', order.author);
  else if (proposer === undefined) await order.refund();
  else await order.act('approve-refund', proposer === 'customer' ? 'contractor' : 'customer');
}
