import { randomUUID } from 'node:crypto';
import type { Check } from '../../context/check.ts';
import { demand, demandRefusal, demandRefused, demandStatus } from '../../context/expectations.ts';
import { contactsPath, messagesPath, postsPath, requestsPath } from '../../context/paths.ts';
import type { Question } from '../../context/send.ts';
import { askForContact, contactIdsIn, demandPending, listContacts } from '../../fixtures/contacts/contacting.ts';
import { leaseRequested } from '../../fixtures/contacts/leases.ts';

import { malformedCodes } from '../transport/errors.ts';

/** Requests that make no contact, and what does not exist. */
export const contactRefusalChecks: readonly Check[] = [
  {
    id: 'contacts.refused',
    covers: ['AP-CONTACT-015', 'AP-CONTACT-016', 'AP-CONTACT-017'],
    rule: 'Nobody can ask itself, or somebody that does not exist, or under an id that is none.',
    cost: { writes: 6, contactRequests: 6 },
    async judge(run) {
      const { one, other } = await leaseRequested(run);
      demandStatus(await askForContact(run, one, other.id), 200);
      const before = contactIdsIn(await listContacts(run, one));
      demandRefused(await askForContact(run, one, one.id), 'self_contact');
      demandRefusal(await askForContact(run, one, 'no-uuid'), 400, 'invalid_id');
      demandRefusal(await askForContact(run, one, undefined), 400, ...malformedCodes);
      const nobody = await askForContact(run, one, randomUUID());
      run.remember('request of nobody', nobody);
      demandRefused(nobody);
      const after = await listContacts(run, one);
      demand(String(contactIdsIn(after)) === String(before), 'a refused request made a contact', after);
    },
  },
  {
    id: 'contacts.no-way-back',
    covers: ['AP-CONTACT-018'],
    rule: 'There is no way to decline or to withdraw a request.',
    cost: { writes: 4, contactRequests: 1 },
    async judge(run) {
      const meeting = await leaseRequested(run);
      const path = `${contactsPath}/${meeting.contactId}`;
      for (const { token } of [meeting.one, meeting.other]) {
        demandRefused(await run.ask({ method: 'POST', path: `${path}/decline`, token, json: {} }));
      }
      demandRefused(await run.ask({ method: 'DELETE', path, token: meeting.one.token }));
      await demandPending(run, meeting);
    },
  },
  {
    id: 'contacts.token',
    covers: ['AP-CONTACT-019', 'AP-MESSAGE-028'],
    rule: 'Contacts and messages need a token.',
    cost: { writes: 4, contactRequests: 1, messages: 1 },
    async judge(run) {
      const { id, token } = await run.kept();
      const guarded: readonly Question[] = [
        { path: contactsPath },
        { method: 'POST', path: requestsPath, json: { recipient_id: id } },
        { method: 'POST', path: `${contactsPath}/${randomUUID()}/accept`, json: {} },
        { method: 'POST', path: `${contactsPath}/${randomUUID()}/block`, json: {} },
        { path: `${messagesPath}?peer=${id}` },
        { method: 'POST', path: messagesPath, json: { recipient_id: id } },
      ];
      for (const question of guarded) demandRefusal(await run.ask(question), 401, 'unauthorized');
      for (const path of [contactsPath, postsPath]) demandStatus(await run.ask({ path, token }), 200);
    },
  },
];
