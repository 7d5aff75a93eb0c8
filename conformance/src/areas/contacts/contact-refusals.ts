import type { Agent } from '../../context/agent.ts';
import { type Check, defineCheck, defineFixture, type Run } from '../../context/check.ts';
import { expect } from '../../context/expectations.ts';
import { contactsPath, messagesPath, postsPath, requestsPath } from '../../context/paths.ts';
import { makeAccessCheck } from '../access-check.ts';
import { requestedPair } from './agent-pairs.ts';
import * as contacts from './contacting.ts';

export const invalidRequests = defineFixture({ writes: 6, contactRequests: 6 }, async (run) => {
  const { alice, bob } = await requestedPair(run);
  expect.status(await contacts.sendRequest(alice, bob.id), 200);
  const before = contacts.contactIdsIn(await contacts.readContacts(alice));
  const toSelf = await contacts.sendRequest(alice, alice.id);
  const toMalformed = await contacts.sendRequest(alice, 'no-uuid');
  const toAbsent = await contacts.sendRequest(alice, undefined);
  const toUnknown = await contacts.sendRequest(alice, run.random.uuid());
  return { before, toSelf, toMalformed, toAbsent, toUnknown, after: await contacts.readContacts(alice) };
});

export const contactRefusalChecks: readonly Check[] = [
  defineCheck(invalidRequests, {
    id: 'contacts.refused',
    covers: ['AP-CONTACT-015', 'AP-CONTACT-016', 'AP-CONTACT-017'],
    rule: 'A request to oneself, to an unknown agent or with a malformed id is refused.',
    async judge({ before, toSelf, toMalformed, toAbsent, toUnknown, after }, run) {
      await run.requirement('AP-CONTACT-015', () => expect.refused(toSelf, 'self_contact'));
      await run.requirement('AP-CONTACT-016', () => {
        expect.refusal(toMalformed, 400, 'invalid_id');
        expect.malformed(toAbsent);
      });
      await run.requirement('AP-CONTACT-017', () => {
        expect.refused(toUnknown);
        const made = contacts.contactIdsIn(after).filter((id) => !before.includes(id));
        const isOwn = made.some((id) => contacts.hasStatus(after, id, 'outgoing'));
        expect(!isOwn, 'a refused request created a contact', after);
      });
    },
  }),
  defineCheck(requestedPair, {
    id: 'contacts.no-way-back',
    covers: ['AP-CONTACT-018'],
    rule: 'A request can be neither declined nor withdrawn.',
    cost: { writes: 4, contactRequests: 1 },
    async judge(contact) {
      const path = `${contactsPath}/${contact.contactId}`;
      for (const agent of [contact.alice, contact.bob]) expect.refused(await agent.post(`${path}/decline`, {}));
      expect.refused(await contact.alice.delete(path));
      await contacts.expectPending(contact);
    },
  }),
  makeAccessCheck(
    {
      id: 'contacts.token',
      covers: ['AP-CONTACT-019', 'AP-MESSAGE-028'],
      rule: 'Contacts and messages require a token.',
      cost: { writes: 4, contactRequests: 1, messages: 1 },
    },
    async (run) => {
      const client = await run.primaryAgent();
      const posts = {
        [requestsPath]: { recipient_id: client.id },
        [`${contactsPath}/${run.random.uuid()}/accept`]: {},
        [`${contactsPath}/${run.random.uuid()}/block`]: {},
      };
      return {
        client,
        requests: {
          'AP-CONTACT-019': [
            { path: contactsPath },
            ...Object.entries(posts).map(([path, json]) => ({ method: 'POST', path, json }) as const),
          ],
          'AP-MESSAGE-028': [
            { path: `${messagesPath}?peer=${client.id}` },
            { method: 'POST', path: messagesPath, json: { recipient_id: client.id } },
          ],
        },
        readable: [contactsPath, postsPath],
      };
    },
  ),
];

// The stated maximum number of contacts on a page.
const pageMax = 100;

export const contactPageCheck: Check = {
  id: 'contacts.page-maximum',
  covers: ['AP-CONTACT-031'],
  rule: 'A page has at most 100 contacts, and the rest follow on later pages.',
  cost: { writes: pageMax + 3, contactRequests: pageMax + 1 },
  extraAgents: pageMax + 2,
  async judge(run) {
    const [host, ...guests] = (await run.extraAgents.register(pageMax + 2)) as [Agent, ...Agent[]];
    for (const guest of guests) expect.works(await contacts.sendRequest(guest, host.id), 201);
    const page = await contacts.readContacts(host);
    const { length } = contacts.contactIdsIn(page);
    expect(length <= pageMax, `a page contains ${length} contacts`, page);
    expect(expect.object(page)['next_before'] !== null, 'there are older contacts, and "next_before" is null', page);
    await expectBlockedByRequester(run, host, guests[0] ?? host);
  },
};

/** An unanswered contact that the requester blocks must keep its position in the list. */
async function expectBlockedByRequester(run: Run, host: Agent, guest: Agent): Promise<void> {
  const [contactId = ''] = contacts.contactIdsIn(await contacts.readContacts(guest));
  const before = contacts.contactIdsIn(await contacts.readContacts(host));
  await run.requirement(
    'AP-CONTACT-025',
    async () => {
      const block = await contacts.sendAction(guest, contactId, 'block');
      contacts.expectContactIn(expect.status(block, 200), contactId, 'blocked');
      contacts.expectContactIn(await contacts.readPageWithContact(host, contactId), contactId, 'blocked');
      expect.refused(await contacts.sendAction(host, contactId, 'accept'), 'contact_blocked');
    },
    { isPart: true },
  );
  await run.requirement(
    'AP-CONTACT-020',
    async () => {
      const after = await contacts.readContacts(host);
      expect(String(contacts.contactIdsIn(after)) === String(before), 'a block moved a contact in the list', after);
    },
    { isPart: true },
  );
}
