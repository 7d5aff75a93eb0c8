import type { Agent } from '../../context/agent.ts';
import { type Check, defineCheck } from '../../context/check.ts';
import { errorCodeOf, expect } from '../../context/expectations.ts';
import { messagesPath } from '../../context/paths.ts';
import { expectStillFriends, expendablePair, friendPair, thirdAgent } from '../contacts/agent-pairs.ts';
import { bothDirections } from '../contacts/contacting.ts';
import * as dialogs from './messaging.ts';
import { decryptCiphertext, type Envelope, makeEnvelope, randomBase64, sealText } from './sealing.ts';

// The specified maximum number of messages on a page.
const pageMax = 100;

export const messageChecks: readonly Check[] = [
  {
    id: 'messages.sealed',
    covers: ['AP-MESSAGE-001', 'AP-MESSAGE-002', 'AP-MESSAGE-003'],
    rule: 'A sealed message is 201, appears byte for byte in the dialog of both agents, and its recipient can decrypt it.',
    // Includes the cost of making friends, although this happens only once per pool.
    cost: { writes: 4, contactRequests: 1, messages: 2 },
    async judge(run) {
      for (const [sender, recipient] of bothDirections(await friendPair(run))) {
        const text = `From ${sender.handle}: grüße, 🤖.`;
        const envelope = sealText(run, sender, recipient, text);
        const sent = await dialogs.postMessage(sender, envelope);
        await run.precondition('AP-MESSAGE-001', () => expect.status(sent, 201));
        await run.precondition('AP-MESSAGE-002', () => dialogs.expectInBothDialogs(sender, recipient, envelope));
        await run.requirement('AP-MESSAGE-003', async () => {
          const received = await dialogs.readDialog(recipient, sender);
          const message = dialogs.expectEnvelope(received, envelope) as unknown as Envelope;
          expect(
            decryptCiphertext(run, recipient, message) === text,
            'the received message cannot be decrypted',
            received,
          );
        });
      }
    },
  },
  defineCheck(expendablePair, {
    id: 'messages.opaque',
    covers: ['AP-MESSAGE-004', 'AP-MESSAGE-005'],
    rule: 'Any ciphertext is accepted unchanged, both the known answer of box-v1 and random bytes.',
    cost: { writes: 5, contactRequests: 1, messages: 3 },
    async judge({ alice, bob }, run) {
      // Two agents can use this nonce only once, so every run needs a new pair of friends.
      const { nonce, ciphertext } = boxV1Vector;
      const fresh = makeEnvelope(run, alice, bob, ciphertext);
      const known = { ...fresh, nonce };
      const answer = await dialogs.postMessage(alice, known);
      if (errorCodeOf(answer) === 'contact_not_accepted') await expectStillFriends(run, { alice, bob });
      // If the server compares nonces across all agents, an earlier run may have used this one.
      const isUsed = errorCodeOf(answer) === 'nonce_reuse';
      await run.requirement('AP-MESSAGE-005', async () => {
        if (isUsed) await dialogs.sendEnvelope(alice, fresh);
        else expect.status(answer, 201);
        await dialogs.expectInBothDialogs(alice, bob, isUsed ? fresh : known);
      });
      const noise = makeEnvelope(run, alice, bob, randomBase64(run, 300));
      const sent = await dialogs.postMessage(alice, noise);
      await run.requirement('AP-MESSAGE-004', async () => {
        expect.status(sent, 201);
        await dialogs.expectInBothDialogs(alice, bob, noise);
      });
    },
  }),
  defineCheck(friendPair, {
    id: 'messages.order',
    covers: ['AP-MESSAGE-006'],
    rule: 'A dialog contains the messages of both agents, newest first.',
    cost: { writes: 3, messages: 3 },
    async judge({ alice, bob }, run) {
      const sent = [
        sealText(run, alice, bob, 'First.'),
        sealText(run, bob, alice, 'Second.'),
        sealText(run, alice, bob, 'Third.'),
      ];
      for (const [at, envelope] of sent.entries()) await dialogs.sendEnvelope(at === 1 ? bob : alice, envelope);
      for (const [reader, peer] of bothDirections({ alice, bob })) {
        const { places, dialog } = await findPlaces(reader, peer, sent);
        expect(!places.includes(-1), 'a message that was just sent is not in the dialog', dialog);
        const isNewestFirst = places.every((place, at) => at === 0 || place < (places[at - 1] ?? 0));
        expect(isNewestFirst, 'the messages are not listed newest first', dialog);
      }
    },
  }),
  defineCheck(friendPair, {
    id: 'messages.peer',
    covers: ['AP-MESSAGE-009', 'AP-MESSAGE-010'],
    rule: 'Reading a dialog requires the parameter peer; peer and before are UUIDs.',
    cost: { writes: 1, messages: 1 },
    async judge({ alice, bob }, run) {
      const envelope = await dialogs.sendText(run, alice, bob, 'Which dialog?');
      await run.precondition('AP-MESSAGE-002', async () =>
        dialogs.expectEnvelope(await dialogs.readDialog(alice, bob), envelope),
      );
      await run.requirement('AP-MESSAGE-009', async () => expect.malformed(await alice.get(messagesPath)));
      await run.requirement('AP-MESSAGE-010', async () => {
        for (const query of ['peer=no-uuid', `peer=${bob.id}&before=no-uuid`]) {
          expect.refusal(await alice.get(`${messagesPath}?${query}`), 400, 'invalid_id');
        }
      });
    },
  }),
  defineCheck(friendPair, {
    id: 'messages.third',
    covers: ['AP-MESSAGE-011'],
    rule: 'A third agent cannot read a dialog, whichever peer it names.',
    cost: { writes: 1, messages: 1 },
    async judge(friends, run) {
      const { alice, bob } = friends;
      const third = await thirdAgent(run, friends);
      const envelope = await dialogs.sendText(run, alice, bob, 'Between us.');
      const dialog = await dialogs.readDialog(bob, alice);
      dialogs.expectEnvelope(dialog, envelope);
      const [newest] = dialogs.messageIds(dialog);
      for (const peer of [alice, bob]) {
        for (const before of [undefined, newest]) {
          const answer = await dialogs.requestDialog(third, peer, before);
          // With `before`, 400 is also correct: the message is not in the requested dialog.
          const isStated = [200, 404, ...(before === undefined ? [] : [400])].includes(answer.status);
          expect(isStated, `the status for a third agent is ${answer.status}`, answer);
          dialogs.expectNotInDialog(answer, envelope.ciphertext);
        }
      }
    },
  }),
  defineCheck(friendPair, {
    id: 'messages.repeat',
    covers: ['AP-MESSAGE-012'],
    rule: 'A repeat of the same envelope is 200, and the dialog contains the message once.',
    cost: { writes: 3, messages: 3 },
    async judge({ alice, bob }, run) {
      const envelope = await dialogs.sendVerifiedText(run, alice, bob, 'Once.');
      for (let times = 0; times < 2; times += 1) expect.status(await dialogs.postMessage(alice, envelope), 200);
      await dialogs.expectInBothDialogs(alice, bob, envelope);
    },
  }),
];

/** Runs after other checks, because their messages count toward the length of the dialog. */
export const longDialogCheck: Check = defineCheck(friendPair, {
  id: 'messages.pages',
  covers: ['AP-MESSAGE-007', 'AP-MESSAGE-008'],
  rule: 'A page has at most 100 messages, and before continues after a message.',
  cost: { writes: 101, messages: 101 },
  async judge({ alice, bob }, run) {
    const missing = pageMax + 1 - (await readPages(alice, bob)).length;
    for (let count = 0; count < missing; count += 1) {
      const [sender, recipient] = count % 2 === 0 ? [alice, bob] : [bob, alice];
      await dialogs.sendRandomMessage(run, sender, recipient);
    }
    const page = await dialogs.readDialog(alice, bob);
    const { length } = dialogs.messageIds(page);
    await run.requirement('AP-MESSAGE-007', () => {
      expect(length > 0 && length <= pageMax, `the page contains ${length} messages`, page);
    });
    await run.requirement('AP-MESSAGE-008', async () => {
      const all = await readPages(alice, bob);
      // The next page can only be tested if the dialog contains a third message.
      await run.precondition('AP-MESSAGE-006', () =>
        expect(all.length > 2, `the dialog contains ${all.length} messages`, page),
      );
      const rest = await dialogs.readDialog(alice, bob, all[1]);
      const ids = dialogs.messageIds(rest);
      const isContinued = ids.length > 0 && ids.every((id, at) => id === all[at + 2]);
      expect(isContinued, 'the page does not continue after the message in before', rest);
      const { size } = new Set(all);
      await run.precondition('AP-MESSAGE-006', () =>
        expect(size > pageMax, `the pages contain ${size} messages in total`, page),
      );
    });
  },
});

/** Finds the positions of sent messages in a dialog, -1 for a missing one. A server may return one message per page. */
async function findPlaces(reader: Agent, peer: Agent, sent: readonly Envelope[]) {
  const places = sent.map(() => -1);
  let [dialog, before] = [await dialogs.readDialog(reader, peer), 0];
  for (let pages = 1; ; pages += 1) {
    for (const [at, envelope] of sent.entries()) {
      const [place] = dialogs.findPositions(dialog, envelope);
      if (place !== undefined) places[at] = before + place;
    }
    const ids = dialogs.messageIds(dialog);
    if (!places.includes(-1) || ids.length === 0 || pages === sent.length) return { places, dialog };
    before += ids.length;
    dialog = await dialogs.readDialog(reader, peer, ids.at(-1));
  }
}

/** Reads the ids of the newest messages, over several pages, until there are slightly more than fit on one page. */
async function readPages(reader: Agent, peer: Agent): Promise<readonly string[]> {
  const ids: string[] = [];
  let page = dialogs.messageIds(await dialogs.readDialog(reader, peer));
  while (page.length > 0 && ids.length <= pageMax) {
    ids.push(...page);
    page = dialogs.messageIds(await dialogs.readDialog(reader, peer, page.at(-1)));
  }
  return [...ids, ...page];
}

/** A test vector of box-v1: this text, key and nonce must produce this ciphertext, with the tag first. */
export const boxV1Vector = {
  senderPrivateKey: 'AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyA=',
  senderPublicKey: 'B6N8vBQgk8i3VdwbEOhstCY3StFqqFPtC9/AsrhtHHw=',
  recipientPrivateKey: '//79/Pv6+fj39vX08/Lx8O/u7ezr6uno5+bl5OPi4eA=',
  recipientPublicKey: 'Pry2khSTRNxU5YFgz5C+2e6h3RToHI6R3lV699ev2RU=',
  nonce: 'BxEbJS85Q01XYWt1f4mTnaexu8XP2ePt',
  text: 'Known answer: grüße, 🤖.',
  ciphertext: 'OqQosj20DDbGs9rllKRhdiUDtKirtbzP6Zyqkp5zhA+1/g+uf86Ma390O3Y=',
} as const;
