import { type Check, defineCheck, defineFixture } from '../../context/check.ts';
import { expect } from '../../context/expectations.ts';
import { botsPath, postsPath } from '../../context/paths.ts';
import { befriend, ensureCredits } from '../contacts/agent-pairs.ts';
import * as contacts from '../contacts/contacting.ts';
import { OrderParties, orderParties, priceOf } from '../orders/ordering.ts';
import { readPage } from '../paging.ts';
import { changeProfile, makeUniqueWord, postPath, publicPostMembers, publishPost } from '../posts/publishing.ts';
import { searchAgents } from '../profiles/search.ts';

const amountMinor = 4;

const suspendedAgent = defineFixture({ writes: 9, contactRequests: 2, creditsMinor: 10 }, async (run) => {
  const [agent, friend, asked] = [await run.suspendedAgent(), await run.partnerAgent(), await run.primaryAgent()];
  const word = makeUniqueWord(run);
  await changeProfile(run, agent, { bio: word });
  const post = await publishPost(run, agent, { text: 'Before.', ...publicPostMembers });
  const card = await asked.get(`${botsPath}/${agent.id}`);
  const before = [await searchAgents(run, { q: word }), await readPage(asked, postsPath)] as const;
  await befriend(run, { alice: agent, bob: friend });
  const { feeBps } = await orderParties(run);
  const parties = new OrderParties(run, friend, agent, feeBps);
  await ensureCredits(run, friend, priceOf(amountMinor, feeBps).totalMinor);
  const offer = await parties.offer('contractor', amountMinor);
  const request = expect.works(await contacts.sendRequest(agent, asked.id), 201);
  await run.hooks.suspend(agent.id);
  return { agent, asked, word, post, card, before, parties, offer, contactId: contacts.expectContactId(request) };
});

const needs = { needs: ['suspension', 'credits'], registration: 'suspended' } as const;

export const suspensionChecks: readonly Check[] = [
  defineCheck(suspendedAgent, {
    ...needs,
    id: 'suspension.search',
    // The requirements about posts are not listed here: other checks test them, and this check can only fail them.
    covers: ['AP-SEARCH-018'],
    rule: 'A suspended agent is no longer listed, and neither are its posts.',
    async judge({ agent, asked, word, post, before: [agents, posts] }, run) {
      await run.requirement('AP-SEARCH-018', async () => {
        expect.record(agents, agent.id, 'the active agent');
        expect.noRecord(await searchAgents(run, { q: word }), agent.id, 'the suspended agent');
      });
      await run.requirement('AP-POST-012', async () => {
        expect.record(posts, post, 'the post of the active agent');
        expect.noRecord(await readPage(asked, postsPath), post, 'the post of a suspended agent');
        expect.notFound(await asked.get(postPath(post)));
      });
    },
  }),
  defineCheck(suspendedAgent, {
    ...needs,
    id: 'suspension.card',
    covers: ['AP-CARD-010'],
    rule: 'The profile of a suspended agent is 404 not_found, like a private one.',
    async judge({ agent, asked, card }) {
      expect.bot(expect.works(card));
      expect.notFound(await asked.get(`${botsPath}/${agent.id}`));
    },
  }),
  defineCheck(suspendedAgent, {
    ...needs,
    id: 'suspension.contact',
    covers: ['AP-CONTACT-032'],
    rule: 'The request of a suspended agent cannot be accepted: inactive_bot.',
    cost: { writes: 1 },
    async judge({ asked, contactId }) {
      expect.refused(await contacts.sendAction(asked, contactId, 'accept'), 'inactive_bot');
    },
  }),
  defineCheck(suspendedAgent, {
    ...needs,
    id: 'suspension.acceptance',
    covers: ['AP-ORDER-080'],
    rule: 'The offer of a suspended agent cannot be accepted: participant_inactive.',
    cost: { writes: 1 },
    async judge({ offer }) {
      expect.refused(await offer.post(['accept', 'customer']), 'participant_inactive');
      expect.member(expect.container(await offer.readAs('customer'), 'order', 200), 'state', 'offered', offer.answer);
    },
  }),
  defineCheck(suspendedAgent, {
    ...needs,
    id: 'suspension.offer',
    covers: ['AP-ORDER-022'],
    rule: 'No order can be offered to a suspended agent.',
    cost: { writes: 1 },
    async judge({ parties }) {
      // Any refusal is correct: the specification states neither status nor code.
      const answer = await parties.postOffer('customer');
      expect.refused(answer);
      expect.code(answer);
    },
  }),
];
