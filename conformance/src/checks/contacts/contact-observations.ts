import { randomUUID } from 'node:crypto';
import type { Observation } from '../../context/check.ts';
import { expect } from '../../context/expectations.ts';
import { isObject } from '../../context/json.ts';
import { contactsPath } from '../../context/paths.ts';
import { blockedPair } from '../../fixtures/blocked-pair.ts';
import { contactIdOf, friendPair } from '../../fixtures/contacts/agent-pairs.ts';
import * as contacts from '../../fixtures/contacts/contacting.ts';
import { answerTo, combine, compareAnswer, compareNames, observation, withCommon } from '../observation.ts';
import { requestAfterBlock } from './contact-blocks.ts';
import { invalidRequests } from './contact-refusals.ts';
import { acceptanceByRequester, mutualRequest } from './contacts.ts';

/** Open behaviour of contacts, observed after the checks, when the agents of the pool are friends. */
export const contactObservations: readonly Observation[] = [
  ...withCommon({ cost: { writes: 2, contactRequests: 1 } }, [
    observation('contact-members', 'AP-CONTACT-036', 'Which members does a contact have? (D-9)', async (run) => {
      const answer = expect.object(await contacts.list((await friendPair(run)).one));
      const [contact] = Array.isArray(answer['contacts']) ? answer['contacts'] : [];
      const names = Object.keys(isObject(contact) ? contact : {});
      const peer = isObject(contact) && isObject(contact['peer']) ? Object.keys(contact['peer']) : [];
      const decided = ['contact_id', 'status', 'peer', 'created_at', 'updated_at'];
      const ofPeer = ['id', 'handle', 'display_name', 'encryption_public_key', 'encryption_key_fingerprint'];
      const matchesDecision =
        decided.every((name) => names.includes(name)) && ofPeer.every((name) => peer.includes(name));
      return { observed: `${names.join(', ')}; of the peer ${peer.join(', ')}`, matchesDecision };
    }),
    observation('contact-containers', 'AP-CONTACT-037', 'Which containers hold contacts? (D-7, D-9)', async (run) => {
      const { one, other } = await friendPair(run);
      const list = Object.keys(expect.object(await contacts.list(one)));
      const single = Object.keys(expect.object(await contacts.sendRequest(one, other.id)));
      return combine({
        list: compareNames(list, ['contacts', 'next_before']),
        single: compareNames(single, ['contact']),
      });
    }),
  ]),
  ...withCommon({ fixtures: [mutualRequest] }, [
    answerTo('mutual-request', 'AP-CONTACT-038', 'How is a mutual request answered? (D-27)', '200', async (run) => {
      const { answer } = await mutualRequest(run);
      return answer;
    }),
  ]),
  ...withCommon({ fixtures: [invalidRequests] }, [
    answerTo(
      'request-of-nobody',
      'AP-CONTACT-039',
      'How is an unknown recipient answered? (D-27)',
      '404 not_found',
      async (run) => (await invalidRequests(run)).toUnknown,
    ),
  ]),
  ...withCommon({ cost: { writes: 2, contactRequests: 1 } }, [
    answerTo(
      'acceptance-members',
      'AP-CONTACT-041',
      'How is an acceptance with body members handled? (D-21)',
      '400 invalid_fields',
      async (run) => {
        const friends = await friendPair(run);
        return await friends.other.post(`${contactsPath}/${await contactIdOf(run, friends)}/accept`, { mood: 'fine' });
      },
    ),
  ]),
  observation('contacts-before', 'AP-CONTACT-042', 'How is an invalid before handled? (D-7)', async (run) => {
    const agent = await run.primaryAgent();
    return combine({
      unknown: compareAnswer(await agent.get(`${contactsPath}?before=${randomUUID()}`), '404 not_found'),
      malformed: compareAnswer(await agent.get(`${contactsPath}?before=no-uuid`), '400 invalid_id'),
    });
  }),
  ...withCommon({ fixtures: [acceptanceByRequester, invalidRequests, requestAfterBlock, blockedPair] }, [
    observation('contact-statuses', 'AP-CONTACT-043', 'Which status do the contact codes have?', async (run) =>
      combine({
        'to oneself': compareAnswer((await invalidRequests(run)).toSelf, '400 self_contact'),
        'by the requester': compareAnswer((await acceptanceByRequester(run)).answer, '403 recipient_required'),
        'after a block': compareAnswer(await requestAfterBlock(run), '403 contact_blocked'),
      }),
    ),
  ]),
];
