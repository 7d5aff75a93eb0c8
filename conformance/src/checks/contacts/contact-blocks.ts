import type { Check } from '../../context/check.ts';
import { expect } from '../../context/expectations.ts';
import { fixture } from '../../context/fixture.ts';
import { contactsPath } from '../../context/paths.ts';
import { blockedPair } from '../../fixtures/blocked-pair.ts';
import { requestedPair } from '../../fixtures/contacts/agent-pairs.ts';
import * as contacts from '../../fixtures/contacts/contacting.ts';
import { directions, type MadeContact } from '../../fixtures/contacts/contacts-made.ts';
import { given } from '../given.ts';

/** A request of a blocked agent. */
export const requestAfterBlock = fixture({ writes: 1, contactRequests: 1 }, async (run) => {
  const { one, other } = await blockedPair(run);
  return await contacts.sendRequest(other, one.id);
});

/** Blocks: one before an answer, and one between friends. */
export const contactBlockChecks: readonly Check[] = [
  given(requestedPair, {
    id: 'contacts.block-request',
    covers: ['AP-CONTACT-025', 'AP-CONTACT-026', 'AP-CONTACT-027', 'AP-CONTACT-028', 'AP-CONTACT-029'],
    rule: 'The recipient of a request can block it; the contact is then blocked for both agents, and neither accepting nor requesting is possible.',
    cost: { writes: 9, contactRequests: 3 },
    async judge(contact) {
      const { other, contactId } = contact;
      await contacts.openProfiles(contact);
      contacts.expectIn(expect.status(await contacts.act(other, contactId, 'block'), 200), contactId, 'blocked');
      await contacts.expectStatuses(contact, 'blocked');
      expect.refused(await contacts.act(other, contactId, 'accept'), 'contact_blocked');
      await expectBlockedAgain(contact);
    },
  }),
  given(blockedPair, {
    id: 'contacts.block-friends',
    covers: ['AP-CONTACT-025', 'AP-CONTACT-026', 'AP-CONTACT-027', 'AP-CONTACT-029', 'AP-CONTACT-030'],
    rule: 'A friend can block a friend, permanently.',
    cost: { writes: 9, contactRequests: 2 },
    fixtures: [requestAfterBlock],
    async judge(pair, run) {
      await contacts.openProfiles(pair);
      contacts.expectIn(pair.block, pair.contactId, 'blocked');
      await contacts.expectStatuses(pair, 'blocked');
      expect.refused(await requestAfterBlock(run), 'contact_blocked');
      await expectBlockedAgain(pair);
      const path = `${contactsPath}/${pair.contactId}`;
      for (const agent of [pair.one, pair.other]) expect.refused(await agent.post(`${path}/unblock`, {}));
      expect.refused(await pair.one.delete(path));
      await contacts.expectStatuses(pair, 'blocked');
    },
  }),
];

/** Neither agent can request the contact again; both can block it again. */
async function expectBlockedAgain(contact: MadeContact): Promise<void> {
  const { contactId } = contact;
  for (const [agent, peer] of directions(contact)) {
    expect.refused(await contacts.sendRequest(agent, peer.id), 'contact_blocked');
    contacts.expectIn(expect.status(await contacts.act(agent, contactId, 'block'), 200), contactId, 'blocked');
    contacts.expectIn(await contacts.list(agent), contactId, 'blocked');
  }
}
