import type { Agent } from '../../context/agent.ts';
import type { Check } from '../../context/check.ts';
import { expect } from '../../context/expectations.ts';
import * as contacts from './contacting.ts';

// Stated.
const pageMax = 100;

/** What takes more contacts than a page has. */
export const contactPageChecks: readonly Check[] = [
  {
    id: 'contacts.page-maximum',
    covers: ['AP-CONTACT-031'],
    rule: 'A page has at most 100 contacts, and others follow.',
    cost: { writes: pageMax + 1, contactRequests: pageMax + 1 },
    crowd: pageMax + 2,
    async judge(run) {
      const [host, ...guests] = (await run.crowd.gather(pageMax + 2)) as [Agent, ...Agent[]];
      for (const guest of guests) expect.works(await contacts.sendRequest(guest, host.id), 201);
      const page = await contacts.list(host);
      const { length } = contacts.idsIn(page);
      expect(length <= pageMax, `a page has ${length} contacts`, page);
      expect(expect.object(page)['next_before'] !== null, 'there are older contacts, and "next_before" is null', page);
    },
  },
];
