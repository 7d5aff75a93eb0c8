import type { Agent } from '../../context/agent.ts';
import { type Check, defineCheck, primaryAgent } from '../../context/check.ts';
import { expect } from '../../context/expectations.ts';
import { operationPaths } from '../../context/http/operations.ts';
import type { JsonObject } from '../../context/json.ts';
import {
  botsPath,
  contactsPath,
  mePath,
  messagesPath,
  ordersPath,
  postsPath,
  quotePath,
  requestsPath,
} from '../../context/paths.ts';
import { makeUnusedHandle } from '../../context/pool/registration-bodies.ts';
import { findContact } from '../contacts/contacting.ts';
import {
  expectAnswer,
  expectEdgeCasesAnswered,
  expectMalformed,
  type MemberTypes,
  makeEdgeCases,
  makeInvalidChanges,
  sampleCases,
} from '../malformed.ts';
import { sealText } from '../messages/sealing.ts';
import { type OrderParties, orderParties } from '../orders/ordering.ts';
import { postPath, publishPost } from '../posts/publishing.ts';

interface Target {
  /** Who sends the request, if not the customer. */
  readonly sender?: Agent | undefined;
  readonly method: 'POST' | 'PATCH';
  readonly path: string;
  readonly body: JsonObject;
  readonly forms: MemberTypes;
  /** Codes that the operation may return in addition to the codes for malformed requests. */
  readonly codes?: readonly string[];
  /** How many cases are sent to a server with the specified rate limits. */
  readonly limited: number;
}

const ofPost: MemberTypes = {
  title: 'text',
  kind: 'word',
  visibility: 'word',
  attachment_ids: 'ids',
  rights_confirmed: 'truth',
};
const ofProfile: MemberTypes = {
  display_name: 'text',
  specialty: 'text',
  bio: 'text',
  character_description: 'text',
  profile_public: 'truth',
  avatar_attachment_id: 'id',
  character_attachment_id: 'id',
  rights_confirmed: 'truth',
};
const ofEnvelope: MemberTypes = {
  recipient_id: 'id!',
  client_message_id: 'id!',
  encryption_version: 'word!',
  nonce: 'text!',
  ciphertext: 'text!',
  sender_public_key: 'text!',
  recipient_public_key: 'text!',
};
const ofOffer: MemberTypes = {
  operation_id: 'id!',
  title: 'text!',
  description: 'text',
  deadline: 'time!',
  amount_minor: 'integer!',
  contractor_id: 'id!',
  confirmed_total_minor: 'integer',
  input_attachment_ids: 'ids',
};

/** All operations with a body, except registration and order actions. */
async function makeTargets(parties: OrderParties): Promise<readonly Target[]> {
  const { run, customer, contractor } = parties;
  const postId = await publishPost(run, customer, { text: 'A text.' });
  const contact = findContact(run, { alice: customer, bob: contractor });
  const acceptPath = `${contactsPath}/${contact?.contactId}/accept`;
  const envelope: object = sealText(run, customer, contractor, 'Hello.');
  return [
    { method: 'PATCH', path: mePath, body: { bio: 'A bio.' }, forms: ofProfile, limited: 4 },
    { method: 'POST', path: postsPath, body: { text: 'A text.' }, forms: { ...ofPost, text: 'text!' }, limited: 4 },
    {
      method: 'PATCH',
      path: postPath(postId),
      body: { visibility: 'private' },
      limited: 4,
      forms: { ...ofPost, text: 'text' },
    },
    {
      method: 'POST',
      path: requestsPath,
      body: { recipient_id: contractor.id },
      forms: { recipient_id: 'id!' },
      limited: 1,
    },
    {
      method: 'POST',
      path: messagesPath,
      body: envelope as JsonObject,
      forms: ofEnvelope,
      limited: 2,
      codes: ['encrypted_envelope_required', 'unsupported_encryption'],
    },
    { method: 'POST', path: acceptPath, sender: contact?.bob, body: {}, forms: {}, limited: 0 },
    { method: 'POST', path: quotePath, body: { amount_minor: 4 }, forms: { amount_minor: 'integer!' }, limited: 2 },
    { method: 'POST', path: ordersPath, body: parties.terms('customer'), forms: ofOffer, limited: 4 },
  ];
}

const ofRegistration: MemberTypes = {
  handle: 'text!',
  display_name: 'text!',
  encryption_public_key: 'text!',
  specialty: 'text',
  bio: 'text',
  character_description: 'text',
  profile_public: 'truth',
};

export const bodyChecks: readonly Check[] = [
  defineCheck(orderParties, {
    id: 'bodies.members',
    covers: ['AP-ERR-003'],
    rule: 'A body in which one member has a wrong type, or a required one is absent, is refused with 400.',
    cost: { writes: 22, messages: 2, contactRequests: 1 },
    costWithoutPace: { writes: 120, messages: 21, contactRequests: 3 },
    attempts: { limited: 0, unlimited: 17 },
    async judge(parties, run) {
      for (const { method, path, body, forms, codes, limited } of await makeTargets(parties)) {
        const { made, cases } = sampleCases(run, makeInvalidChanges(forms), limited);
        await run.requirement(
          'AP-ERR-003',
          async () => {
            for (const change of made)
              expectMalformed(
                await parties.customer.send({ method, path, json: { ...body, ...change } }),
                change,
                codes,
              );
          },
          { cases },
        );
      }
      if (run.budget.hasRegistrationLimit) return;
      await run.requirement('AP-ERR-003', async () => {
        for (const change of makeInvalidChanges(ofRegistration)) {
          const body = await run.extraAgents.goodBody(makeUnusedHandle(run.random));
          expectMalformed(await run.extraAgents.attemptWith({ ...body, ...change }), change);
        }
      });
    },
  }),
  defineCheck(orderParties, {
    id: 'bodies.edges',
    covers: ['AP-ERR-002'],
    rule: 'A body that is not a JSON object is refused with 400, and every other unreadable body gets an answer.',
    cost: { writes: 11, messages: 1, contactRequests: 1 },
    costWithoutPace: { writes: 65, messages: 8, contactRequests: 8 },
    attempts: { limited: 0, unlimited: 8 },
    async judge(parties, run) {
      for (const { sender = parties.customer, method, path, body, codes } of await makeTargets(parties)) {
        const { made, cases } = sampleCases(run, makeEdgeCases(body), 1);
        const send = (text: string | Uint8Array, type = 'application/json') =>
          sender.send({ method, path, body: text, headers: { 'content-type': type } });
        await run.requirement('AP-ERR-002', () => expectEdgeCasesAnswered(parties.customer, made, send, codes), {
          cases,
        });
      }
      if (run.budget.hasRegistrationLimit) return;
      const cases = makeEdgeCases(await run.extraAgents.goodBody(makeUnusedHandle(run.random)));
      await run.requirement('AP-ERR-002', () =>
        expectEdgeCasesAnswered(parties.customer, cases, run.extraAgents.attemptWith),
      );
    },
  }),
  defineCheck(primaryAgent, {
    id: 'paths.edges',
    covers: ['AP-ERR-002'],
    rule: 'An unreadable path or query gets an answer.',
    cost: { writes: 4 },
    costWithoutPace: { writes: 13 },
    async judge(agent, run) {
      const query = 'page=1&page=99999999999999999999&q=%ff%00&kind=%ed%a0%80&before=99999999999999999999&before=x';
      const all = operationPaths.flatMap(({ method, path }) => {
        const bad = { method, path: path.replace('*', 'no-id%ff%00%zz') };
        const isCard = path === `${botsPath}/*`;
        if (isCard) return [bad, { method, path: `${botsPath}/${agent.id}?${query}` }];
        if (path.includes('*')) return [bad];
        return method === 'GET' ? [{ method, path: `${path}?${query}` }] : [];
      });
      const { made, cases } = sampleCases(run, all, 4);
      await run.requirement(
        'AP-ERR-002',
        async () => {
          for (const { method, path } of made) {
            const request = { method: method as 'GET', path, ...(method === 'POST' ? { json: {} } : {}) };
            const answer = await expectAnswer(agent, () => agent.send(request));
            expect(answer.status !== 500, `${method} ${path} is answered with 500`, answer);
          }
        },
        { cases },
      );
    },
  }),
];
