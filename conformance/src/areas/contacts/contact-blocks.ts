import type { Agent } from '../../context/agent.ts';
import { type Check, defineCheck, defineFixture, type Run } from '../../context/check.ts';
import { expect } from '../../context/expectations.ts';
import type { Exchange } from '../../context/http/http-client.ts';
import { contactsPath } from '../../context/paths.ts';
import { requestedPair } from './agent-pairs.ts';
import { blockedPair } from './blocked-pair.ts';
import * as contacts from './contacting.ts';

export const requestAfterBlock = defineFixture({ writes: 1, contactRequests: 1 }, async (run) => {
  const { alice, bob } = await blockedPair(run);
  return await contacts.sendRequest(bob, alice.id);
});

export const contactBlockChecks: readonly Check[] = [
  defineCheck(requestedPair, {
    id: 'contacts.block-request',
    covers: [
      ...['AP-CONTACT-025', 'AP-CONTACT-026', 'AP-CONTACT-027', 'AP-CONTACT-028', 'AP-CONTACT-029', 'AP-CARD-006'],
    ],
    rule: 'The recipient of a request can block it; the contact is then blocked for both agents, and neither accepting nor requesting is possible.',
    cost: { writes: 9, contactRequests: 3 },
    async judge(contact, run) {
      const { bob, contactId } = contact;
      await contacts.openProfiles(run, contact);
      const before = await contacts.otherContactsOf(run, contact);
      const block = await contacts.sendAction(bob, contactId, 'block');
      await expectBlocked(run, contact, block);
      await run.requirement('AP-CONTACT-026', () => contacts.expectOthersUnchanged(run, contact, before));
      await run.requirement('AP-CONTACT-028', async () =>
        expect.refused(await contacts.sendAction(bob, contactId, 'accept'), 'contact_blocked'),
      );
      await expectBlockedAgain(run, contact);
    },
  }),
  defineCheck(blockedPair, {
    id: 'contacts.block-friends',
    covers: ['AP-CONTACT-025', 'AP-CONTACT-026', 'AP-CONTACT-027', 'AP-CONTACT-029', 'AP-CONTACT-030'],
    rule: 'A friend can block a friend, permanently.',
    cost: { writes: 9, contactRequests: 2 },
    fixtures: [requestAfterBlock],
    async judge(pair, run) {
      await contacts.openProfiles(run, pair);
      await expectBlocked(run, pair, pair.block);
      const refused = await requestAfterBlock(run);
      await run.requirement('AP-CONTACT-029', () => expect.refused(refused, 'contact_blocked'));
      await expectBlockedAgain(run, pair);
      await run.requirement('AP-CONTACT-030', async () => {
        const path = `${contactsPath}/${pair.contactId}`;
        for (const agent of [pair.alice, pair.bob]) expect.refused(await agent.post(`${path}/unblock`, {}));
        expect.refused(await pair.alice.delete(path));
        await contacts.expectStatuses(run, pair, 'blocked');
      });
    },
  }),
];

async function expectBlocked(run: Run, contact: contacts.RequestedContact, block: Exchange): Promise<void> {
  await run.precondition('AP-CONTACT-026', async () => {
    contacts.expectContactIn(expect.status(block, 200), contact.contactId, 'blocked');
    await contacts.expectStatuses(run, contact, 'blocked');
  });
}

async function expectBlockedAgain(run: Run, contact: contacts.RequestedContact): Promise<void> {
  const { alice, bob, contactId } = contact;
  await run.requirement('AP-CONTACT-029', async () => {
    for (const [agent, peer] of contacts.bothDirections(contact))
      expect.refused(await contacts.sendRequest(agent, peer.id), 'contact_blocked');
  });
  const again = async (agent: Agent) => {
    contacts.expectContactIn(
      expect.status(await contacts.sendAction(agent, contactId, 'block'), 200),
      contactId,
      'blocked',
    );
    contacts.expectContactIn(await contacts.readContacts(agent), contactId, 'blocked');
  };
  await run.requirement('AP-CONTACT-027', () => again(alice));
  await run.requirement('AP-CONTACT-025', () => again(bob));
}
