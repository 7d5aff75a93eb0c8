import { randomUUID } from 'node:crypto';
import type { Check } from '../../context/check.ts';
import { expect, expectRefusal, expectRefused, expectStatus } from '../../context/expectations.ts';
import type { Exchange } from '../../context/http/http-client.ts';
import type { AgentPair, MadeContact } from '../../context/pool/contacts-made.ts';
import type { PoolAgent } from '../../context/pool/pool.ts';
import { isSameId } from '../../context/records.ts';
import type { Run } from '../../context/run.ts';
import {
  actOnContact,
  contactIdsIn,
  expectContact,
  expectContactId,
  expectPending,
  expectStatuses,
  listContacts,
  openBothProfiles,
  requestContact,
} from '../../fixtures/contacts/contacting.ts';
import {
  contactIdOf,
  friendPair,
  relationBetween,
  requestedPair,
  strangerPair,
  thirdAgent,
} from '../../fixtures/contacts/leases.ts';
import { sendConcurrently } from '../../fixtures/profiles/concurrently.ts';

/** From strangers to friends. What a contact becomes stays so: the checks follow the two of a run step by step. */
export const contactChecks: readonly Check[] = [
  {
    id: 'contacts.request',
    covers: ['AP-CONTACT-001', 'AP-CONTACT-002', 'AP-CONTACT-003', 'AP-CONTACT-004', 'AP-CONTACT-009'],
    rule: 'A request creates a contact, outgoing for the requester and incoming for the recipient, in lists and on cards.',
    cost: { writes: 3, contactRequests: 1 },
    async judge(run) {
      const { one, other } = await strangerPair(run);
      await openBothProfiles(run, { one, other });
      const before = [await listContacts(run, one), await listContacts(run, other)].flatMap(contactIdsIn);
      const request = await requestContact(run, one, other.id);
      run.remember('contact request', request);
      expectStatus(request, 201);
      const contactId = expectContactId(request);
      expect(!before.includes(contactId.toLowerCase()), 'the contact existed before the request', request);
      run.contactsMade.note({ one, other, contactId });
      expectContact(request, contactId, 'outgoing');
      await expectStatuses(run, { one, other }, contactId, ['outgoing', 'incoming']);
    },
  },
  {
    id: 'contacts.repeat',
    covers: ['AP-CONTACT-005'],
    rule: 'A repeated request returns 200 with the existing contact and creates no other.',
    cost: { writes: 2, contactRequests: 2 },
    async judge(run) {
      const { one, other, contactId } = await requestedPair(run);
      const before = await contactIdsOf(run, { one, other });
      const repeat = await requestContact(run, one, other.id);
      expectStatus(repeat, 200);
      expectContact(repeat, contactId, 'outgoing');
      const after = await contactIdsOf(run, { one, other });
      expect(String(after) === String(before), 'the lists of contacts have changed', repeat);
    },
  },
  {
    id: 'contacts.mutual',
    covers: ['AP-CONTACT-006'],
    rule: 'A request from the other side is not an acceptance and creates no other contact.',
    cost: { writes: 2, contactRequests: 2 },
    async judge(run) {
      const meeting = await requestedPair(run);
      const { one, other } = meeting;
      const before = await contactIdsOf(run, meeting);
      const mutual = await requestContact(run, other, one.id);
      run.remember('mutual request', mutual);
      expect(mutual.status < 500, `it was answered ${mutual.status}`, mutual);
      const after = await contactIdsOf(run, meeting);
      expect(String(after) === String(before), 'the lists of contacts have changed', mutual);
      await expectPending(run, meeting);
    },
  },
  {
    id: 'contacts.accept',
    covers: ['AP-CONTACT-010', 'AP-CONTACT-011', 'AP-CONTACT-012', 'AP-CONTACT-013'],
    rule: 'Only the recipient can accept; both agents are friends afterwards, and repeats change nothing.',
    cost: { writes: 9, contactRequests: 3 },
    async judge(run) {
      const meeting = await requestedPair(run);
      const { one, other, contactId } = meeting;
      await openBothProfiles(run, meeting);
      const byRequester = await actOnContact(run, one, contactId, 'accept');
      run.remember('acceptance by the requester', byRequester);
      expectRefused(byRequester, 'recipient_required');
      await expectPending(run, meeting);
      for (let times = 0; times < 2; times += 1) {
        const accepted = await actOnContact(run, other, contactId, 'accept');
        expectStatus(accepted, 200);
        expectContact(accepted, contactId, 'friends');
        await expectStatuses(run, meeting, contactId, ['friends', 'friends']);
      }
      const before = await contactIdsOf(run, meeting);
      for (const [asker, asked] of [[one, other] as const, [other, one] as const]) {
        const again = await requestContact(run, asker, asked.id);
        expectStatus(again, 200);
        expectContact(again, contactId, 'friends');
      }
      const after = await contactIdsOf(run, meeting);
      expect(String(after) === String(before), 'a repeated request between friends returned another contact');
    },
  },
  {
    id: 'contacts.parallel',
    covers: ['AP-CONTACT-007', 'AP-CONTACT-008'],
    rule: 'Concurrent requests, two from each side, create a single pending contact.',
    cost: { writes: 4, contactRequests: 4 },
    async judge(run) {
      const pair = await strangerPair(run);
      const { one, other } = pair;
      const [ofOne, ofOther] = await contactIdsOf(run, pair);
      const ask = (agent: PoolAgent, peer: PoolAgent) => () => requestContact(run, agent, peer.id);
      const asks = [ask(one, other), ask(other, one), ask(one, other), ask(other, one)];
      const answers = await sendConcurrently(run, one, asks);
      const created = answers.filter(({ status }) => status === 201);
      expect(created.length === 1, `${created.length} of the requests created a contact`, answers[0]);
      const [request] = created as [Exchange];
      const contactId = expectContactId(request);
      const at = answers.indexOf(request);
      const meeting = at % 2 === 0 ? { one, other, contactId } : { one: other, other: one, contactId };
      run.contactsMade.note(meeting);
      const twin = answers[(at + 2) % 4] as Exchange;
      expectStatus(twin, 200);
      expectContact(twin, contactId, 'outgoing');
      for (const [agent, before] of [[one, ofOne] as const, [other, ofOther] as const]) {
        const list = await listContacts(run, agent);
        const added = contactIdsIn(list).filter((id) => !before?.includes(id));
        expect(added.length === 1, `the lists have ${added.length} new contacts instead of 1`, list);
        expect(isSameId(added[0], contactId), 'the new contact is another one', list);
      }
      await expectPending(run, meeting);
    },
  },
  {
    id: 'contacts.list',
    covers: ['AP-CONTACT-020', 'AP-CONTACT-021', 'AP-CONTACT-022'],
    rule: 'Contacts are listed newest first; before continues after a contact, and next_before is null at the end.',
    cost: { writes: 2, contactRequests: 2 },
    async judge(run) {
      const agent = await run.freshAgent();
      const expected = (await leaseTwoContacts(run, agent))
        .map(({ contactId }) => contactId.toLowerCase())
        .toReversed();
      const whole = await listContacts(run, agent);
      expect(String(contactIdsIn(whole)) === String(expected), 'the contacts are not sorted newest first', whole);
      demandNextBefore(whole);
      for (const [place, id] of expected.entries()) {
        const rest = await listContacts(run, agent, `?before=${id}`);
        const isRest = String(contactIdsIn(rest)) === String(expected.slice(place + 1));
        expect(isRest, 'the list does not continue after that contact', rest);
        demandNextBefore(rest);
      }
    },
  },
  {
    id: 'contacts.stranger',
    covers: ['AP-CONTACT-014', 'AP-CONTACT-023', 'AP-CONTACT-024'],
    rule: 'Only participants can use a contact: a third agent can neither list, accept nor block it, and an unknown contact is not found.',
    cost: { writes: 6, contactRequests: 2 },
    async judge(run) {
      const friends = await friendPair(run);
      const contactId = await contactIdOf(run, friends);
      const third = await thirdAgent(run, friends);
      const list = await listContacts(run, third);
      expect(!contactIdsIn(list).includes(contactId.toLowerCase()), 'a third agent lists the contact', list);
      for (const action of ['accept', 'block'] as const) {
        expectRefusal(await actOnContact(run, third, contactId, action), 404, 'not_found');
        expectRefusal(await actOnContact(run, friends.one, randomUUID(), action), 404, 'not_found');
      }
      expectContact(await listContacts(run, friends.one), contactId, 'friends');
      expectContact(await listContacts(run, friends.other), contactId, 'friends');
    },
  },
];

async function contactIdsOf(run: Run, { one, other }: AgentPair): Promise<readonly (readonly string[])[]> {
  return [contactIdsIn(await listContacts(run, one)), contactIdsIn(await listContacts(run, other))];
}

/** The two contacts of the newcomer, in the order in which they came into being. */
async function leaseTwoContacts(run: Run, agent: PoolAgent): Promise<readonly MadeContact[]> {
  for (const other of [await run.partnerAgent(), await run.primaryAgent()]) {
    const pair = { one: agent, other };
    if (relationBetween(run, pair) !== 'strangers') continue;
    const request = await requestContact(run, agent, other.id);
    expectStatus(request, 201);
    run.contactsMade.note({ ...pair, contactId: expectContactId(request) });
  }
  return run.contactsMade.ofAgent(agent);
}

function demandNextBefore(exchange: Exchange): void {
  const { json } = exchange;
  const isThere = typeof json === 'object' && json !== null && 'next_before' in json;
  expect(isThere && json.next_before === null, '"next_before" is not null at the end', exchange);
}
