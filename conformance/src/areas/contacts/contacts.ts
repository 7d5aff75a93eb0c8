import { type Agent, sendConcurrently } from '../../context/agent.ts';
import { type Check, defineCheck, defineFixture, freshAgent, type Run } from '../../context/check.ts';
import { expect, isSameId } from '../../context/expectations.ts';
import type { Exchange } from '../../context/http/http-client.ts';
import { createPrivatePost, postPath, setProfilePublic } from '../posts/publishing.ts';
import {
  contactIdOf,
  friendPair,
  relationBetween,
  requestedPair,
  requestNewContact,
  strangerPair,
  thirdAgent,
} from './agent-pairs.ts';
import * as contacts from './contacting.ts';

export const mutualRequest = defineFixture({ writes: 2, contactRequests: 2 }, async (run) => {
  const contact = await requestedPair(run);
  await run.precondition('AP-CONTACT-003', () => contacts.expectPending(contact));
  const before = await listedContacts(contact);
  const answer = await contacts.sendRequest(contact.bob, contact.alice.id);
  return { contact, before, answer, after: await listedContacts(contact) };
});

export const acceptanceByRequester = defineFixture({ writes: 4, contactRequests: 1 }, async (run) => {
  const contact = await requestedPair(run);
  await contacts.openProfiles(run, contact);
  // A faulty server may have changed the contact since the request.
  await run.precondition('AP-CONTACT-003', () => contacts.expectPending(contact));
  return { contact, answer: await contacts.sendAction(contact.alice, contact.contactId, 'accept') };
});

/** The order of these checks matters, because a contact never returns to an earlier state. */
export const contactChecks: readonly Check[] = [
  defineCheck(strangerPair, {
    id: 'contacts.request',
    covers: [
      ...['AP-CONTACT-001', 'AP-CONTACT-002', 'AP-CONTACT-003', 'AP-CONTACT-004', 'AP-CONTACT-009', 'AP-CARD-006'],
    ],
    rule: 'A request to an agent with a private profile creates a contact, outgoing for the requester and incoming for the recipient, in lists and on cards.',
    cost: { writes: 4, contactRequests: 1 },
    async judge({ alice, bob }, run) {
      await setProfilePublic(run, bob, false);
      const before = (await listedContacts({ alice, bob })).flat();
      const request = await contacts.sendRequest(alice, bob.id);
      await run.precondition('AP-CONTACT-002', () => expect.status(request, 201));
      const contactId = await run.precondition('AP-CONTACT-001', () => contacts.expectContactId(request));
      await run.requirement('AP-CONTACT-002', () =>
        expect(!before.includes(contactId.toLowerCase()), 'the contact existed before', request),
      );
      contacts.rememberContact(run, { alice, bob, contactId });
      await contacts.openProfiles(run, { alice, bob });
      await run.requirement('AP-CONTACT-003', () => contacts.expectContactIn(request, contactId, 'outgoing'));
      await run.requirement('AP-CONTACT-009', async () => {
        const lists = await listedContacts({ alice, bob });
        const isListed = lists.every((ids) => ids.includes(contactId.toLowerCase()));
        expect(isListed, 'an agent does not list the contact', await contacts.readContacts(bob));
      });
      await run.requirement('AP-CONTACT-003', () =>
        contacts.expectStatuses(run, { alice, bob, contactId }, 'outgoing', 'incoming'),
      );
    },
  }),
  defineCheck(requestedPair, {
    id: 'contacts.repeat',
    covers: ['AP-CONTACT-005', 'AP-POST-017'],
    rule: 'A repeated request returns 200 with the existing contact and creates no other; a request opens no private post.',
    cost: { writes: 3, contactRequests: 2 },
    async judge(contact, run) {
      await run.requirement('AP-CONTACT-005', async () => {
        const before = await listedContacts(contact);
        const repeat = contacts.expectExistingContact(await contacts.sendRequest(contact.alice, contact.bob.id));
        contacts.expectContactIn(repeat, contact.contactId, 'outgoing');
        expectSameContacts(before, await listedContacts(contact), repeat);
      });
      const hidden = await createPrivatePost(run, contact.bob, { text: 'Hidden.' });
      await run.requirement('AP-POST-017', async () => expect.notFound(await contact.alice.get(postPath(hidden))));
    },
  }),
  defineCheck(mutualRequest, {
    id: 'contacts.mutual',
    covers: ['AP-CONTACT-006'],
    rule: 'A request from the other side is not an acceptance and creates no other contact.',
    async judge({ contact, before, answer, after }) {
      expect(answer.status < 500, `the status is ${answer.status}`, answer);
      // The specification does not state whether such a request is refused.
      if (answer.status < 300)
        contacts.expectContactIn(contacts.expectExistingContact(answer), contact.contactId, 'incoming');
      expectSameContacts(before, after, answer);
      await contacts.expectPending(contact);
    },
  }),
  defineCheck(acceptanceByRequester, {
    id: 'contacts.accept',
    covers: ['AP-CONTACT-010', 'AP-CONTACT-011', 'AP-CONTACT-012', 'AP-CONTACT-013', 'AP-CONTACT-014'],
    rule: 'Only the recipient can accept; both agents are friends afterwards, and neither repeats nor a private profile change that.',
    cost: { writes: 11, contactRequests: 3 },
    async judge({ contact, answer }, run) {
      const { bob, contactId } = contact;
      await run.requirement('AP-CONTACT-011', async () => {
        expect.refused(answer, 'recipient_required');
        await contacts.expectPending(contact);
      });
      const third = await thirdAgent(run, contact);
      await run.requirement('AP-CONTACT-014', async () => {
        expect.notFound(await contacts.sendAction(third, contactId, 'accept'));
        await contacts.expectPending(contact);
      });
      const waiting = await anotherRequest(run, { alice: third, bob });
      const accept = async () => {
        const accepted = await contacts.sendAction(bob, contactId, 'accept');
        contacts.expectContactIn(expect.status(accepted, 200), contactId, 'friends');
        await contacts.expectStatuses(run, contact, 'friends');
      };
      await run.precondition('AP-CONTACT-010', async () => {
        await accept();
        if (waiting !== undefined) await contacts.expectPending(waiting);
      });
      await run.requirement('AP-CONTACT-012', async () => {
        await accept();
        for (const repeat of await sendConcurrently(bob, [1, 2], () => contacts.sendAction(bob, contactId, 'accept')))
          contacts.expectContactIn(expect.status(repeat, 200), contactId, 'friends');
      });
      const before = await listedContacts(contact);
      await setProfilePublic(run, bob, false);
      await run.requirement('AP-CONTACT-013', async () => {
        for (const [agent, peer] of contacts.bothDirections(contact)) {
          const repeat = contacts.expectExistingContact(await contacts.sendRequest(agent, peer.id));
          contacts.expectContactIn(repeat, contactId, 'friends');
        }
        expectSameContacts(before, await listedContacts(contact));
      });
      await setProfilePublic(run, bob, true);
    },
  }),
  defineCheck(strangerPair, {
    id: 'contacts.parallel',
    covers: ['AP-CONTACT-007', 'AP-CONTACT-008'],
    rule: 'Concurrent requests, two from each side, create a single pending contact.',
    cost: { writes: 4, contactRequests: 4 },
    async judge(pair, run) {
      const sides = contacts.bothDirections(pair);
      const before = await listedContacts(pair);
      const request = ([agent, peer]: readonly [Agent, Agent]) => contacts.sendRequest(agent, peer.id);
      const answers = await sendConcurrently(pair.alice, [...sides, ...sides], request);
      const created = answers.filter(({ status }) => status === 201);
      const isRequest = (answer: Exchange) =>
        answer.status === 201 && contacts.hasStatus(answer, contacts.expectContactId(answer), 'outgoing');
      const at = answers.findIndex(isRequest);
      await run.precondition('AP-CONTACT-008', () =>
        expect(at >= 0, 'none of the requests created a contact', answers[0]),
      );
      await run.requirement('AP-CONTACT-008', () => created.slice(1).forEach(contacts.expectExistingContact));
      const contactId = contacts.expectContactId(answers[at] as Exchange);
      const [alice, bob] = sides[at % 2] as (typeof sides)[number];
      const contact = { alice, bob, contactId };
      contacts.rememberContact(run, contact);
      await run.requirement('AP-CONTACT-008', () => {
        // The answer to the other request by the same agent.
        const duplicate = contacts.expectExistingContact(answers[(at + 2) % 4] as Exchange);
        contacts.expectContactIn(duplicate, contactId, 'outgoing');
      });
      await run.requirement('AP-CONTACT-007', async () => {
        const after = await listedContacts(pair);
        for (const [index] of sides.entries()) {
          const added = after[index]?.filter((id) => !before[index]?.includes(id)) ?? [];
          expect(added.length === 1, `there are ${added.length} new contacts instead of one`, answers[at]);
          expect(isSameId(added[0], contactId), 'the new contact is not the requested one', answers[at]);
        }
        await contacts.expectPending(contact);
      });
    },
  }),
  defineCheck(freshAgent, {
    id: 'contacts.list',
    covers: ['AP-CONTACT-020', 'AP-CONTACT-021', 'AP-CONTACT-022'],
    rule: 'Contacts are listed newest first; before continues after a contact, and next_before is null at the end.',
    cost: { writes: 2, contactRequests: 2 },
    async judge(agent, run) {
      for (const bob of [await run.partnerAgent(), await run.primaryAgent()])
        await anotherRequest(run, { alice: agent, bob });
      const two = contacts.contactsOf(run, agent);
      const expected = two.map(({ contactId }) => contactId.toLowerCase()).toReversed();
      const own = (exchange: Exchange) => contacts.contactIdsIn(exchange).filter((id) => expected.includes(id));
      const whole = await contacts.readContacts(agent);
      await run.precondition('AP-CONTACT-009', () =>
        expect(own(whole).length === expected.length, 'a contact of the agent is missing', whole),
      );
      await run.requirement('AP-CONTACT-020', () =>
        expect(String(own(whole)) === String(expected), 'the contacts are not listed newest first', whole),
      );
      await run.requirement('AP-CONTACT-022', () => expectEnd(whole));
      for (const id of expected) {
        const rest = await contacts.readContacts(agent, `?before=${id}`);
        await run.requirement('AP-CONTACT-021', () => {
          const following = contacts.contactIdsIn(whole).slice(contacts.contactIdsIn(whole).indexOf(id) + 1);
          const isRest = String(contacts.contactIdsIn(rest)) === String(following);
          expect(isRest, 'the list does not continue after that contact', rest);
        });
        await run.requirement('AP-CONTACT-022', () => expectEnd(rest));
      }
    },
  }),
  defineCheck(friendPair, {
    id: 'contacts.stranger',
    covers: ['AP-CONTACT-014', 'AP-CONTACT-023', 'AP-CONTACT-024'],
    rule: 'Only participants can use a contact: a third agent can neither list, accept nor block it, and an unknown contact is not found.',
    cost: { writes: 6, contactRequests: 2 },
    async judge(friends, run) {
      const contactId = await contactIdOf(run, friends);
      const third = await thirdAgent(run, friends);
      await run.requirement('AP-CONTACT-023', async () => {
        const list = await contacts.readContacts(third);
        expect(!contacts.contactIdsIn(list).includes(contactId.toLowerCase()), 'a third agent lists the contact', list);
      });
      const lists = () =>
        Promise.all(contacts.bothDirections(friends).map(([agent]) => contacts.readPageWithContact(agent, contactId)));
      // Another check judges whether an acceptance makes the agents friends.
      const areFriends = (await lists()).every((list) => contacts.hasStatus(list, contactId, 'friends'));
      for (const [action, requirement] of [
        ['accept', 'AP-CONTACT-014'],
        ['block', 'AP-CONTACT-024'],
      ] as const) {
        await run.requirement(requirement, async () => {
          expect.notFound(await contacts.sendAction(third, contactId, action));
          expect.notFound(await contacts.sendAction(friends.alice, run.random.uuid(), action));
          if (areFriends) for (const list of await lists()) contacts.expectContactIn(list, contactId, 'friends');
        });
      }
    },
  }),
];

/** Only the contacts that both agents list, because contacts with other agents may change at any time. */
async function listedContacts({ alice, bob }: contacts.AgentPair): Promise<readonly (readonly string[])[]> {
  const [ofOne, ofOther] = [
    contacts.contactIdsIn(await contacts.readContacts(alice)),
    contacts.contactIdsIn(await contacts.readContacts(bob)),
  ];
  return [ofOne.filter((id) => ofOther.includes(id)), ofOther.filter((id) => ofOne.includes(id))];
}

function expectSameContacts(before: unknown, after: unknown, exchange?: Exchange): void {
  expect(String(after) === String(before), 'the contact lists have changed', exchange);
}

/** Undefined if the other agent already has a contact with the recipient. */
async function anotherRequest(run: Run, pair: contacts.AgentPair): Promise<contacts.RequestedContact | undefined> {
  return relationBetween(run, pair) === 'strangers' ? await requestNewContact(run, pair) : undefined;
}

function expectEnd(exchange: Exchange): void {
  expect(expect.object(exchange)['next_before'] === null, '"next_before" is not null at the end', exchange);
}
