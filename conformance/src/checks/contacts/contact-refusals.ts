import { randomUUID } from 'node:crypto';
import type { Check } from '../../context/check.ts';
import { expect, expectRefusal, expectRefused, expectStatus } from '../../context/expectations.ts';
import { contactsPath, messagesPath, postsPath, requestsPath } from '../../context/paths.ts';
import type { ApiRequest } from '../../context/send.ts';
import { contactIdsIn, expectPending, listContacts, requestContact } from '../../fixtures/contacts/contacting.ts';
import { requestedPair } from '../../fixtures/contacts/leases.ts';

import { malformedCodes } from '../transport/errors.ts';

/** Requests that make no contact, and what does not exist. */
export const contactRefusalChecks: readonly Check[] = [
  {
    id: 'contacts.refused',
    covers: ['AP-CONTACT-015', 'AP-CONTACT-016', 'AP-CONTACT-017'],
    rule: 'A request to oneself, to an unknown agent or with a malformed id is refused.',
    cost: { writes: 6, contactRequests: 6 },
    async judge(run) {
      const { one, other } = await requestedPair(run);
      expectStatus(await requestContact(run, one, other.id), 200);
      const before = contactIdsIn(await listContacts(run, one));
      expectRefused(await requestContact(run, one, one.id), 'self_contact');
      expectRefusal(await requestContact(run, one, 'no-uuid'), 400, 'invalid_id');
      expectRefusal(await requestContact(run, one, undefined), 400, ...malformedCodes);
      const nobody = await requestContact(run, one, randomUUID());
      run.remember('request of nobody', nobody);
      expectRefused(nobody);
      const after = await listContacts(run, one);
      expect(String(contactIdsIn(after)) === String(before), 'a refused request created a contact', after);
    },
  },
  {
    id: 'contacts.no-way-back',
    covers: ['AP-CONTACT-018'],
    rule: 'A request can be neither declined nor withdrawn.',
    cost: { writes: 4, contactRequests: 1 },
    async judge(run) {
      const meeting = await requestedPair(run);
      const path = `${contactsPath}/${meeting.contactId}`;
      for (const { token } of [meeting.one, meeting.other]) {
        expectRefused(await run.send({ method: 'POST', path: `${path}/decline`, token, json: {} }));
      }
      expectRefused(await run.send({ method: 'DELETE', path, token: meeting.one.token }));
      await expectPending(run, meeting);
    },
  },
  {
    id: 'contacts.token',
    covers: ['AP-CONTACT-019', 'AP-MESSAGE-028'],
    rule: 'Contacts and messages require a token.',
    cost: { writes: 4, contactRequests: 1, messages: 1 },
    async judge(run) {
      const { id, token } = await run.primaryAgent();
      const guarded: readonly ApiRequest[] = [
        { path: contactsPath },
        { method: 'POST', path: requestsPath, json: { recipient_id: id } },
        { method: 'POST', path: `${contactsPath}/${randomUUID()}/accept`, json: {} },
        { method: 'POST', path: `${contactsPath}/${randomUUID()}/block`, json: {} },
        { path: `${messagesPath}?peer=${id}` },
        { method: 'POST', path: messagesPath, json: { recipient_id: id } },
      ];
      for (const question of guarded) expectRefusal(await run.send(question), 401, 'unauthorized');
      for (const path of [contactsPath, postsPath]) expectStatus(await run.send({ path, token }), 200);
    },
  },
];
