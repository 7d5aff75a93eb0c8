import type { Check } from '../../context/check.ts';
import { expectRefused, expectStatus } from '../../context/expectations.ts';
import { contactsPath } from '../../context/paths.ts';
import type { MadeContact } from '../../context/pool/contacts-made.ts';
import type { Run } from '../../context/run.ts';
import { blockedPair } from '../../fixtures/blocked-pair.ts';
import {
  actOnContact,
  expectContact,
  expectStatuses,
  listContacts,
  openBothProfiles,
  requestContact,
} from '../../fixtures/contacts/contacting.ts';
import { requestedPair } from '../../fixtures/contacts/leases.ts';

/** Blocks, of which a run has two: one before an answer and one between friends. */
export const contactBlockChecks: readonly Check[] = [
  {
    id: 'contacts.block-request',
    covers: ['AP-CONTACT-025', 'AP-CONTACT-026', 'AP-CONTACT-027', 'AP-CONTACT-028', 'AP-CONTACT-029'],
    rule: 'The recipient of a request can block it; the contact is then blocked for both agents, and neither accepting nor requesting is possible.',
    cost: { writes: 9, contactRequests: 3 },
    async judge(run) {
      const meeting = await requestedPair(run);
      await openBothProfiles(run, meeting);
      const block = await actOnContact(run, meeting.other, meeting.contactId, 'block');
      expectStatus(block, 200);
      expectContact(block, meeting.contactId, 'blocked');
      await demandBlocked(run, meeting);
      expectRefused(await actOnContact(run, meeting.other, meeting.contactId, 'accept'), 'contact_blocked');
      await demandBlockedAgain(run, meeting);
    },
  },
  {
    id: 'contacts.block-friends',
    covers: ['AP-CONTACT-025', 'AP-CONTACT-026', 'AP-CONTACT-027', 'AP-CONTACT-029', 'AP-CONTACT-030'],
    rule: 'A friend can block a friend, permanently.',
    cost: { writes: 18, contactRequests: 3, messages: 3, sockets: 2, seconds: 1 },
    async judge(run) {
      const parting = await blockedPair(run);
      const { one, other, contactId, block } = parting;
      await openBothProfiles(run, parting);
      expectContact(block, contactId, 'blocked');
      await demandBlocked(run, parting);
      await demandBlockedAgain(run, parting);
      const path = `${contactsPath}/${contactId}`;
      for (const { token } of [one, other]) {
        expectRefused(await run.send({ method: 'POST', path: `${path}/unblock`, token, json: {} }));
      }
      expectRefused(await run.send({ method: 'DELETE', path, token: one.token }));
      await demandBlocked(run, parting);
    },
  },
];

async function demandBlocked(run: Run, meeting: MadeContact): Promise<void> {
  await expectStatuses(run, meeting, meeting.contactId, ['blocked', 'blocked']);
}

/** Neither side comes back by asking, and either may block what is blocked. */
async function demandBlockedAgain(run: Run, { one, other, contactId }: MadeContact): Promise<void> {
  for (const [agent, peer] of [[one, other] as const, [other, one] as const]) {
    const request = await requestContact(run, agent, peer.id);
    run.remember('blocked request', request);
    expectRefused(request, 'contact_blocked');
    const again = await actOnContact(run, agent, contactId, 'block');
    expectStatus(again, 200);
    expectContact(again, contactId, 'blocked');
    expectContact(await listContacts(run, agent), contactId, 'blocked');
  }
}
