import { type Observation, primaryAgent } from '../../context/check.ts';
import { expect } from '../../context/expectations.ts';
import { isObject } from '../../context/json.ts';
import { contactsPath } from '../../context/paths.ts';
import {
  combineBehaviours,
  compareAnswer,
  compareMemberNames,
  compareRequiredMembers,
  openQuestion,
  withStart,
} from '../observation.ts';
import { contactIdOf, friendPair } from './agent-pairs.ts';
import { blockedPair } from './blocked-pair.ts';
import { requestAfterBlock } from './contact-blocks.ts';
import { invalidRequests } from './contact-refusals.ts';
import * as contacts from './contacting.ts';
import { acceptanceByRequester, mutualRequest } from './contacts.ts';

export const contactObservations: readonly Observation[] = [
  ...withStart(friendPair, { cost: { writes: 2, contactRequests: 1 } }, [
    openQuestion('contact-members', 'AP-CONTACT-036', 'Which members does a contact have?', async ({ alice }) => {
      const list = expect.object(await contacts.readContacts(alice))['contacts'];
      const contact = Array.isArray(list) && isObject(list[0]) ? list[0] : {};
      const members = compareRequiredMembers(contact, ['contact_id', 'status', 'peer', 'created_at', 'updated_at']);
      const decided = ['id', 'handle', 'display_name', 'encryption_public_key', 'encryption_key_fingerprint'];
      const ofPeer = compareRequiredMembers(isObject(contact['peer']) ? contact['peer'] : {}, decided);
      const observed = `${members.observed}; of the peer ${ofPeer.observed}`;
      return { observed, matchesDecision: members.matchesDecision && ofPeer.matchesDecision };
    }),
    openQuestion('contact-containers', 'AP-CONTACT-037', 'Which containers hold contacts?', async ({ alice, bob }) =>
      combineBehaviours({
        list: compareMemberNames(expect.object(await contacts.readContacts(alice)), ['contacts', 'next_before']),
        single: compareMemberNames(expect.object(await contacts.sendRequest(alice, bob.id)), ['contact']),
      }),
    ),
  ]),
  ...withStart(mutualRequest, {}, [
    openQuestion('mutual-request', 'AP-CONTACT-038', 'How is a mutual request answered?', ({ answer }) =>
      compareAnswer(answer, '200'),
    ),
  ]),
  ...withStart(invalidRequests, {}, [
    openQuestion('request-of-nobody', 'AP-CONTACT-039', 'How is an unknown recipient answered?', ({ toUnknown }) =>
      compareAnswer(toUnknown, '404 not_found'),
    ),
  ]),
  ...withStart(friendPair, { cost: { writes: 2, contactRequests: 1 } }, [
    openQuestion(
      'acceptance-members',
      'AP-CONTACT-041',
      'How is an acceptance with body members handled?',
      async (pair, run) => {
        const path = `${contactsPath}/${await contactIdOf(run, pair)}/accept`;
        return await compareAnswer(pair.bob.post(path, { mood: 'fine' }), '400 invalid_fields');
      },
    ),
  ]),
  ...withStart(primaryAgent, {}, [
    openQuestion('contacts-before', 'AP-CONTACT-042', 'How is an invalid before handled?', async (agent, run) =>
      combineBehaviours({
        unknown: compareAnswer(await agent.get(`${contactsPath}?before=${run.random.uuid()}`), '404 not_found'),
        malformed: compareAnswer(await agent.get(`${contactsPath}?before=no-uuid`), '400 invalid_id'),
      }),
    ),
  ]),
  ...withStart(invalidRequests, { fixtures: [acceptanceByRequester, requestAfterBlock, blockedPair] }, [
    openQuestion(
      'contact-statuses',
      'AP-CONTACT-043',
      'Which status do the contact codes have?',
      async ({ toSelf }, run) =>
        combineBehaviours({
          'to oneself': compareAnswer(toSelf, '400 self_contact'),
          'by the requester': compareAnswer((await acceptanceByRequester(run)).answer, '403 recipient_required'),
          'after a block': compareAnswer(await requestAfterBlock(run), '403 contact_blocked'),
        }),
    ),
  ]),
];
