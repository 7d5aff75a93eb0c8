import { type Cost, totalCost } from '../context/budget/cost.ts';
import { type Check, given } from '../context/check.ts';
import { defaultWalkSteps } from '../context/options.ts';
import type { Run } from '../context/run.ts';
import { contactIdOf, friendPair, requestedPair } from './contacts/agent-pairs.ts';
import { blockedPair } from './contacts/blocked-pair.ts';
import { contactModel, contactWalkCost } from './contacts/contact-walk.ts';
import * as contacts from './contacts/contacting.ts';
import { fundWalk, orderModel, orderWalkCost } from './orders/order-walk.ts';
import { orderParties } from './orders/ordering.ts';
import { postModel, postWalkCost } from './posts/post-walk.ts';
import { publicAuthor } from './posts/publishing.ts';
import { type Model, walk } from './walk.ts';

const ofOrders = [
  ...['AP-ORDER-020', 'AP-ORDER-023', 'AP-ORDER-049', 'AP-ORDER-050', 'AP-ORDER-051', 'AP-ORDER-052', 'AP-ORDER-054'],
  ...['AP-ORDER-055', 'AP-ORDER-056', 'AP-ORDER-057', 'AP-ORDER-058', 'AP-ORDER-070'],
];
const ofPosts = ['AP-POST-018', 'AP-POST-019', 'AP-VISIBLE-005'];
const ofRequests = ['AP-CONTACT-005', 'AP-CONTACT-006', 'AP-CONTACT-011', 'AP-MESSAGE-021'];
const ofFriends = ['AP-CONTACT-012', 'AP-CONTACT-013', 'AP-MESSAGE-001'];
const ofBlocks = ['AP-CONTACT-027', 'AP-CONTACT-028', 'AP-CONTACT-029', 'AP-MESSAGE-021'];

/** Random commands for orders. */
export const orderWalkChecks: readonly Check[] = [
  given(orderParties, {
    id: 'walks.orders',
    covers: ofOrders,
    rule: 'Whatever the order of commands, right and wrong, new and repeated: states and both wallets are those of the table.',
    ...costOfWalk(orderWalkCost),
    async judge(parties, run) {
      await fundWalk(parties, run.walkSteps);
      await walkOver(run, 'orders', orderModel(parties), ofOrders);
    },
  }),
];

/** Random commands for posts. */
export const postWalkChecks: readonly Check[] = [
  given(publicAuthor, {
    id: 'walks.posts',
    covers: ofPosts,
    rule: 'Whatever the order of publishing, showing, hiding and deleting: author and stranger each find what is there for them, and no more.',
    ...costOfWalk(postWalkCost, { writes: 1 }),
    judge: async (author, run) => walkOver(run, 'posts', postModel(run, author, await run.primaryAgent()), ofPosts),
  }),
];

/** Random commands for a contact that waits. */
export const requestWalkChecks: readonly Check[] = [
  given(requestedPair, {
    id: 'walks.requests',
    covers: ofRequests,
    rule: 'Whatever two agents do before the acceptance: the request waits.',
    ...costOfWalk(contactWalkCost, { writes: 1, contactRequests: 1 }),
    async judge(contact, run) {
      await run.precondition('AP-CONTACT-003', () => contacts.expectPending(contact));
      await walkOver(run, 'requests', contactModel(run, contact, 'requested'), ofRequests);
    },
  }),
];

/** Random commands between friends. */
export const friendWalkChecks: readonly Check[] = [
  given(friendPair, {
    id: 'walks.friends',
    covers: ofFriends,
    rule: 'Whatever two friends repeat: they stay friends, and can exchange messages.',
    ...costOfWalk(contactWalkCost, { writes: 3, contactRequests: 2 }),
    async judge(pair, run) {
      const contact = { ...pair, contactId: await contactIdOf(run, pair) };
      await run.precondition('AP-CONTACT-010', () => contacts.expectListed(contact, 'friends', 'friends'));
      await walkOver(run, 'friends', contactModel(run, contact, 'friends'), ofFriends);
    },
  }),
];

/** Random commands after a block. */
export const blockWalkChecks: readonly Check[] = [
  given(blockedPair, {
    id: 'walks.blocks',
    covers: ofBlocks,
    rule: 'Whatever two agents do after a block: they stay blocked.',
    ...costOfWalk(contactWalkCost),
    judge: (pair, run) => walkOver(run, 'blocks', contactModel(run, pair, 'blocked'), ofBlocks),
  }),
];

/** The cost of a walk with what precedes it; what a shorter sequence takes comes after a failure, and is not planned. */
function costOfWalk(costOf: (steps: number) => Partial<Cost>, before: Partial<Cost> = {}) {
  const costOfSteps = (steps: number) => totalCost([costOf(steps), before]);
  return { cost: costOfSteps(defaultWalkSteps), costOfSteps };
}

async function walkOver<State, Command>(
  run: Run,
  name: string,
  model: Model<State, Command>,
  covers: readonly string[],
): Promise<void> {
  await walk(model, { name, seed: run.seed, steps: run.walkSteps });
  // A walk need not come to each of them; what it came to has passed.
  for (const requirement of covers) await run.precondition(requirement, () => undefined);
}
