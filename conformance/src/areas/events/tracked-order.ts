import type { Agent } from '../../context/agent.ts';
import type { Run } from '../../context/check.ts';
import { expect } from '../../context/expectations.ts';
import { type Order, OrderParties, type PartyAction } from '../orders/ordering.ts';
import { makeUniqueWord } from '../posts/publishing.ts';

/** An order with its state at each version. */
export interface TrackedOrder {
  readonly id: string;
  /** The unique word in the title and description of the order. */
  readonly word: string;
  readonly states: ReadonlyMap<unknown, unknown>;
}

export async function makeEndedOffer(
  run: Run,
  contractor: Agent,
  customer: Agent,
  end: 'reject' | 'cancel',
): Promise<TrackedOrder> {
  const word = makeUniqueWord(run);
  const offer = await offerWork(run, contractor, customer, word);
  const ended = await offer.act(end, end === 'reject' ? 'customer' : 'contractor');
  return { id: offer.id, word, states: statesOf([offer, ended]) };
}

export function offerWork(run: Run, contractor: Agent, customer: Agent, word = makeUniqueWord(run)): Promise<Order> {
  // The commission, 0 here, does not matter, because only a customer confirms the total.
  const parties = new OrderParties(run, customer, contractor, 0);
  return parties.offer('contractor', 1, { title: word, description: word });
}

/** Also sends an acceptance that is refused, and repeats the first action; neither may cause events. */
export async function makeTrackedOrder(parties: OrderParties, turns: readonly PartyAction[]): Promise<TrackedOrder> {
  const word = makeUniqueWord(parties.run);
  const offer = await parties.offer('contractor', 4, { title: word, description: word });
  const otherPrice = { confirmed_total_minor: offer.price.totalMinor + 1 };
  await parties.run.precondition('AP-ORDER-062', async () =>
    expect.refused(await offer.post(['accept', 'customer'], otherPrice), 'price_changed'),
  );
  const versions = [offer];
  for (const [index, turn] of turns.entries()) {
    const order = versions.at(-1) ?? offer;
    const body = order.body(...turn);
    const send = () => order.post(turn, body);
    versions.push(order.after(expect.works(await send())));
    if (index === 0) await parties.run.precondition('AP-ORDER-070', async () => expect.status(await send(), 200));
  }
  return { id: offer.id, word, states: statesOf(versions) };
}

function statesOf(versions: readonly Order[]): ReadonlyMap<unknown, unknown> {
  return new Map(versions.map(({ version, state }) => [version, state]));
}
