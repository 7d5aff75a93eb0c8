import { type Cost, sumCosts } from '../context/budget/cost.ts';
import { type Check, defineCheck, type Run, type StartingState } from '../context/check.ts';
import { defaultWalkSteps } from '../context/options.ts';
import { expectStillFriends, friendPair, requestedPair } from './contacts/agent-pairs.ts';
import { blockedPair } from './contacts/blocked-pair.ts';
import { contactWalkCost, makeContactModel } from './contacts/contact-walk.ts';
import * as contacts from './contacts/contacting.ts';
import { amountMaxMinor, makeOrderModel, orderWalkCost } from './orders/order-walk.ts';
import { orderParties } from './orders/ordering.ts';
import { makePostModel, postWalkCost } from './posts/post-walk.ts';
import { publicAuthor } from './posts/publishing.ts';
import { performWalk, type WalkModel } from './walk.ts';

export const orderWalkCheck = walkCheck('orders', orderParties, {
  covers: [
    ...['AP-ORDER-020', 'AP-ORDER-023', 'AP-ORDER-049', 'AP-ORDER-050', 'AP-ORDER-051', 'AP-ORDER-052', 'AP-ORDER-054'],
    ...['AP-ORDER-055', 'AP-ORDER-056', 'AP-ORDER-057', 'AP-ORDER-058', 'AP-ORDER-070'],
  ],
  rule: 'For any sequence of valid, invalid, new and repeated commands, states and both wallets match the table of actions.',
  costOf: orderWalkCost,
  async model(parties, run) {
    await parties.fund(amountMaxMinor, run.walkSteps);
    return makeOrderModel(parties);
  },
});

export const postWalkCheck = walkCheck('posts', publicAuthor, {
  covers: ['AP-POST-018', 'AP-POST-019', 'AP-VISIBLE-005'],
  rule: 'For any sequence of publishing, showing, hiding and deleting, author and stranger each read exactly the posts that they may read.',
  costOf: postWalkCost,
  before: { writes: 1 },
  model: async (author, run) => makePostModel(run, author, await run.primaryAgent()),
});

export const requestWalkCheck = walkCheck('requests', requestedPair, {
  covers: ['AP-CONTACT-005', 'AP-CONTACT-006', 'AP-CONTACT-011', 'AP-MESSAGE-021'],
  rule: 'Whatever commands two agents send before the acceptance, the request stays pending.',
  costOf: contactWalkCost,
  before: { writes: 1, contactRequests: 1 },
  async model(contact, run) {
    await run.precondition('AP-CONTACT-003', () => contacts.expectPending(contact));
    return makeContactModel(run, contact, 'requested');
  },
});

export const friendWalkCheck = walkCheck('friends', friendPair, {
  covers: ['AP-CONTACT-012', 'AP-CONTACT-013', 'AP-MESSAGE-001'],
  rule: 'Whatever commands two friends repeat, they stay friends and can exchange messages.',
  costOf: contactWalkCost,
  before: { writes: 3, contactRequests: 2 },
  model: async (pair, run) => makeContactModel(run, await expectStillFriends(run, pair), 'friends'),
});

export const blockWalkCheck = walkCheck('blocks', blockedPair, {
  covers: ['AP-CONTACT-027', 'AP-CONTACT-028', 'AP-CONTACT-029', 'AP-MESSAGE-021'],
  rule: 'Whatever commands two agents send after a block, they stay blocked.',
  costOf: contactWalkCost,
  model: async (pair, run) => makeContactModel(run, pair, 'blocked'),
});

interface Walk<T, State, Command> extends Pick<Check, 'covers' | 'rule'> {
  /**
   * The cost of this many commands and of their preparation. Excludes the cost of shortening a sequence, which happens
   * only after a violation.
   */
  costOf(steps: number): Partial<Cost>;
  readonly before?: Partial<Cost>;
  model(start: T, run: Run): Promise<WalkModel<State, Command>>;
}

function walkCheck<T, State, Command>(
  name: string,
  start: StartingState<T>,
  { covers, rule, costOf, before = {}, model }: Walk<T, State, Command>,
): Check {
  const costOfSteps = (steps: number) => sumCosts([costOf(steps), before]);
  return defineCheck(start, {
    id: `walks.${name}`,
    covers,
    rule,
    cost: costOfSteps(defaultWalkSteps),
    costOfSteps,
    async judge(started, run) {
      await performWalk(await model(started, run), { name, seed: run.seed, steps: run.walkSteps });
      // No command violated any of these requirements, so all of them pass, although the walk may not have tested each.
      for (const requirement of covers) await run.precondition(requirement, () => undefined);
    },
  });
}
