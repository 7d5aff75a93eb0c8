import type { Check } from '../../context/check.ts';
import { codeOf, expect, expectRefusal, expectStatus } from '../../context/expectations.ts';
import { messagesPath } from '../../context/paths.ts';
import type { PoolAgent } from '../../context/pool/pool.ts';
import { expectList } from '../../context/records.ts';
import type { Run } from '../../context/run.ts';
import { expendablePair, friendPair, thirdAgent } from '../../fixtures/contacts/leases.ts';
import { boxV1Vector } from '../../fixtures/messages/box-v1-vector.ts';
import { type Envelope, envelopeAround, open, randomBase64, seal } from '../../fixtures/messages/envelopes.ts';
import {
  expectAbsent,
  expectEnvelope,
  messageIds,
  placesOf,
  postMessage,
  readDialog,
  requestDialog,
  sendEnvelope,
} from '../../fixtures/messages/messaging.ts';
import { malformedCodes } from '../transport/errors.ts';

// Stated: at most so many messages in one answer.
const pageMax = 100;

/** Sending and reading, between two who are friends. */
export const messageChecks: readonly Check[] = [
  {
    id: 'messages.sealed',
    covers: ['AP-MESSAGE-001', 'AP-MESSAGE-002', 'AP-MESSAGE-003'],
    rule: 'A sealed message is 201, appears byte for byte in the dialog of both agents, and opens for its recipient.',
    // The friends of all checks are made here, once for every run with this pool.
    cost: { writes: 4, contactRequests: 1, messages: 2 },
    async judge(run) {
      const { one, other } = await friendPair(run);
      for (const [sender, recipient] of [[one, other] as const, [other, one] as const]) {
        const text = `From ${sender.handle}: grüße, 🤖.`;
        const envelope = seal(sender, recipient, text);
        await sendEnvelope(run, sender, envelope);
        const own = await readDialog(run, sender, recipient);
        expectEnvelope(own, envelope);
        const received = await readDialog(run, recipient, sender);
        const message = expectEnvelope(received, envelope) as unknown as Envelope;
        expect(open(recipient, message) === text, 'the received message does not open', received);
      }
    },
  },
  {
    id: 'messages.opaque',
    covers: ['AP-MESSAGE-004', 'AP-MESSAGE-005'],
    rule: 'Any ciphertext is accepted unchanged, both the known answer of box-v1 and random bytes.',
    cost: { writes: 5, contactRequests: 1, messages: 3 },
    async judge(run) {
      // Of the two whom every run makes anew: for this nonce can be used once between two agents.
      const { one, other } = await expendablePair(run);
      const { nonce, ciphertext } = boxV1Vector;
      const fresh = envelopeAround(one, other, ciphertext);
      const known = { ...fresh, nonce };
      const answer = await postMessage(run, one, known);
      // Between whom a nonce is used once is not stated: an earlier run may have used this one up for everybody.
      const isUsed = codeOf(answer) === 'nonce_reuse';
      if (!isUsed) expectStatus(answer, 201);
      const noise = envelopeAround(one, other, randomBase64(300));
      for (const envelope of [isUsed ? fresh : known, noise]) {
        if (envelope !== known) await sendEnvelope(run, one, envelope);
        expectEnvelope(await readDialog(run, one, other), envelope);
        expectEnvelope(await readDialog(run, other, one), envelope);
      }
    },
  },
  {
    id: 'messages.order',
    covers: ['AP-MESSAGE-006'],
    rule: 'A dialog contains the messages of both agents, newest first.',
    cost: { writes: 3, messages: 3 },
    async judge(run) {
      const { one, other } = await friendPair(run);
      const sent = [seal(one, other, 'First.'), seal(other, one, 'Second.'), seal(one, other, 'Third.')];
      for (const [at, envelope] of sent.entries()) await sendEnvelope(run, at === 1 ? other : one, envelope);
      for (const [reader, peer] of [[one, other] as const, [other, one] as const]) {
        const dialog = await readDialog(run, reader, peer);
        const places = sent.map((envelope) => placesOf(dialog, envelope)[0] ?? -1);
        expect(!places.includes(-1), 'a message that was just sent is missing', dialog);
        const isNewestFirst = places.every((place, at) => at === 0 || place < (places[at - 1] ?? 0));
        expect(isNewestFirst, 'the messages are not sorted newest first', dialog);
      }
    },
  },
  {
    id: 'messages.pages',
    covers: ['AP-MESSAGE-007', 'AP-MESSAGE-008'],
    rule: 'A page has at most 100 messages, and before continues after a message.',
    cost: { writes: 101, messages: 101 },
    async judge(run) {
      const { one, other } = await friendPair(run);
      const missing = pageMax + 1 - (await readPages(run, one, other)).length;
      const agents = [one, other] as const;
      const sends = Array.from({ length: Math.max(0, missing) }, (_, at) => {
        const [sender, recipient] = at % 2 === 0 ? agents : agents.toReversed();
        return sender === undefined || recipient === undefined ? [] : [{ sender, recipient }];
      });
      for (const { sender, recipient } of sends.flat())
        await sendEnvelope(run, sender, envelopeAround(sender, recipient, randomBase64(16)));
      const page = await readDialog(run, one, other);
      const shown = expectList(page).length;
      expect(shown > 2 && shown <= pageMax, `the page has ${shown} messages`, page);
      const all = await readPages(run, one, other);
      expect(new Set(all).size > pageMax, `consecutive pages have ${new Set(all).size} messages in total`, page);
      const ids = messageIds(page);
      const rest = messageIds(await readDialog(run, one, other, ids[1]));
      const isBehind = ids.slice(2).every((id, at) => id === rest[at]);
      expect(isBehind, 'before does not continue after the given message', page);
    },
  },
  {
    id: 'messages.peer',
    covers: ['AP-MESSAGE-009', 'AP-MESSAGE-010'],
    rule: 'A dialog requires peer, and its ids are UUIDs.',
    cost: { writes: 1, messages: 1 },
    async judge(run) {
      const { one, other } = await friendPair(run);
      const { token } = one;
      const envelope = seal(one, other, 'Which dialog?');
      await sendEnvelope(run, one, envelope);
      expectEnvelope(await readDialog(run, one, other), envelope);
      expectRefusal(await run.send({ path: messagesPath, token }), 400, ...malformedCodes);
      for (const query of ['peer=no-uuid', `peer=${other.id}&before=no-uuid`]) {
        expectRefusal(await run.send({ path: `${messagesPath}?${query}`, token }), 400, 'invalid_id');
      }
    },
  },
  {
    id: 'messages.third',
    covers: ['AP-MESSAGE-011'],
    rule: 'A third agent cannot read a dialog, whichever peer it names.',
    cost: { writes: 1, messages: 1 },
    async judge(run) {
      const friends = await friendPair(run);
      const { one, other } = friends;
      const third = await thirdAgent(run, friends);
      const envelope = seal(one, other, 'Between us.');
      await sendEnvelope(run, one, envelope);
      const dialog = await readDialog(run, other, one);
      expectEnvelope(dialog, envelope);
      const [newest] = messageIds(dialog);
      for (const peer of [one, other]) {
        for (const before of [undefined, newest]) {
          const seen = await requestDialog(run, third, peer, before);
          // A message of others may as well be no id that before takes.
          const isStated = [200, 404, ...(before === undefined ? [] : [400])].includes(seen.status);
          expect(isStated, `a third agent was answered ${seen.status}`, seen);
          expectAbsent(seen, envelope.ciphertext);
        }
      }
    },
  },
  {
    id: 'messages.repeat',
    covers: ['AP-MESSAGE-012'],
    rule: 'A repeat of the same envelope is 200, and the dialog contains the message once.',
    cost: { writes: 3, messages: 3 },
    async judge(run) {
      const { one, other } = await friendPair(run);
      const envelope = seal(one, other, 'Once.');
      await sendEnvelope(run, one, envelope);
      for (let times = 0; times < 2; times += 1) expectStatus(await postMessage(run, one, { ...envelope }), 200);
      expectEnvelope(await readDialog(run, one, other), envelope);
      expectEnvelope(await readDialog(run, other, one), envelope);
    },
  },
];

/** The ids of so many of the newest messages as it takes to know that there are more than a page has. */
async function readPages(run: Run, reader: PoolAgent, peer: PoolAgent): Promise<readonly string[]> {
  const ids: string[] = [];
  let page = messageIds(await readDialog(run, reader, peer));
  while (page.length > 0 && ids.length <= pageMax) {
    ids.push(...page);
    page = messageIds(await readDialog(run, reader, peer, page.at(-1)));
  }
  return [...ids, ...page];
}
