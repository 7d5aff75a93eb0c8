import type { Agent } from '../../context/agent.ts';
import { type Check, defineCheck, type Run } from '../../context/check.ts';
import { expect } from '../../context/expectations.ts';
import type { Exchange } from '../../context/http/http-client.ts';
import { type JsonObject, parseJson } from '../../context/json.ts';
import { ordersPath } from '../../context/paths.ts';
import { makePhoto } from '../../payloads/jpeg.ts';
import { friendPair } from '../contacts/agent-pairs.ts';
import { expectAttachment, pathsOfFile, uploadFile } from '../files/uploading.ts';
import { expectOrder, orderParties, orderRoles } from '../orders/ordering.ts';
import { changeProfile, postPath, publishPost } from '../posts/publishing.ts';
import { advanceClock, dayMs, hourMs } from './passing-time.ts';

const pollMs = 100;

export const fileRetentionChecks: readonly Check[] = [
  defineCheck(friendPair, {
    id: 'time.unattached-files',
    covers: ['AP-FILE-032', 'AP-FILE-037'],
    rule: 'An unattached file is removed after 24 hours and not before; its record says so. An attached file remains.',
    cost: { writes: 7, uploads: 2 },
    async judge({ alice: author }, run) {
      const [loose, bound] = [
        await uploadFile(run, author, makePhoto(run.random)),
        await uploadFile(run, author, makePhoto(run.random)),
      ];
      await publishPost(run, author, { text: 'Private.', attachment_ids: [bound] });
      await advanceClock(run, 23 * hourMs);
      const reader = await run.primaryAgent();
      await run.requirement('AP-FILE-037', async () => {
        for (const file of [loose, bound]) await expectAvailable(reader, file);
      });
      await advanceClock(run, 2 * hourMs);
      await run.requirement('AP-FILE-037', async () => {
        await expectRemoved(run, reader, loose);
        await expectAvailable(await run.primaryAgent(), bound);
      });
      await run.requirement('AP-FILE-032', async () => {
        const [path] = pathsOfFile(loose);
        const record = await reader.get(path);
        expectUnavailable(expectAttachment(record), record);
      });
    },
  }),
  defineCheck(friendPair, {
    id: 'time.detached-files',
    covers: ['AP-FILE-037'],
    rule: 'A detached file and a file of a deleted post are removed after 30 days; an attached file remains.',
    cost: { writes: 20, uploads: 3 },
    async judge({ alice: author }, run) {
      const avatar = await uploadFile(run, author, { ...makePhoto(run.random), purpose: 'avatar' });
      await changeProfile(run, author, { avatar_attachment_id: avatar, rights_confirmed: true });
      const [deleted, bound] = [
        await uploadFile(run, author, makePhoto(run.random)),
        await uploadFile(run, author, makePhoto(run.random)),
      ];
      const post = await publishPost(run, author, { text: 'Deleted.', attachment_ids: [deleted] });
      await publishPost(run, author, { text: 'Private.', attachment_ids: [bound] });
      expect.success(await author.delete(postPath(post)));
      await changeProfile(run, author, { avatar_attachment_id: null });
      // Another agent reads the file, because the specification does not state whether the owner still can.
      const isKept = async (file: string) =>
        (await (await run.primaryAgent()).get(pathsOfFile(file)[2])).status === 200;
      const kept: string[] = [];
      for (const file of [avatar, deleted]) if (await isKept(file)) kept.push(file);
      await advanceClock(run, 30 * dayMs - hourMs);
      for (const file of kept) await expectAvailable(await run.primaryAgent(), file);
      await advanceClock(run, dayMs + hourMs);
      const reader = await run.primaryAgent();
      for (const file of [avatar, deleted]) await expectRemoved(run, reader, file);
      await expectAvailable(reader, bound);
    },
  }),
  defineCheck(orderParties, {
    id: 'time.order-files',
    covers: ['AP-ORDER-073', 'AP-ORDER-081'],
    rule: 'The files of a closed order are removed after 30 days, also from its stored result; those of open and disputed orders remain.',
    cost: { writes: 26, uploads: 3, creditsMinor: 100 },
    async judge(parties, run) {
      const start = async () => {
        const file = await uploadFile(run, parties.customer, { ...makePhoto(run.random), purpose: 'order' });
        const offer = await parties.offer('customer', 4, { input_attachment_ids: [file] });
        return { file, offer, accepted: await offer.act('accept', 'contractor') };
      };
      await parties.fund(4, 3);
      const [closed, open, disputed] = [await start(), await start(), await start()];
      await closed.accepted.refund();
      const inDispute = await disputed.accepted.act('dispute', 'contractor');
      await advanceClock(run, 31 * dayMs);
      const later = await orderParties(run);
      const reads = async () => {
        const isRemoved = await run.requirement('AP-ORDER-081', async () => {
          for (const role of orderRoles) await expectRemoved(run, later[role], closed.file);
          return true;
        });
        await run.requirement('AP-ORDER-081', async () => {
          for (const { file } of [open, disputed])
            for (const role of orderRoles) await expectAvailable(later[role], file);
        });
        // If the file was removed, the stored result must mark it as removed.
        if (isRemoved !== true) return;
        await run.requirement('AP-ORDER-073', async () => {
          const { answer, id } = closed.offer;
          const repeated = await later.customer.post(ordersPath, parseJson(answer.request.body));
          expect.member(expectOrder(repeated, 200), 'id', id, repeated);
          expectUnavailable(expect.record(repeated, closed.file, 'the file of the order'), repeated);
        });
      };
      // Refunds the open orders in any case, so that no credits stay reserved.
      await reads().finally(async () => {
        for (const order of [open.accepted, inDispute]) await order.between(later).refund();
      });
    },
  }),
];

async function expectAvailable(reader: Agent, file: string): Promise<void> {
  const [record, , download] = pathsOfFile(file);
  const answer = await reader.get(record);
  expect.members(expectAttachment(answer), { available: true }, answer);
  expect.status(await reader.get(download), 200);
}

/** The owner or a party to its order may still read the record of the file. */
async function expectRemoved(run: Run, reader: Agent, file: string): Promise<void> {
  const [record, preview, download] = pathsOfFile(file);
  const giveUpAt = run.clock.now() + run.stream.eventTimeoutMs;
  const isThere = async () => (await reader.get(download)).status < 300;
  // Waits, because the server may remove expired files some time after its clock has moved.
  while ((await isThere()) && run.clock.now() < giveUpAt) await run.clock.sleep(pollMs);
  for (const path of [download, preview]) expect.refused(await reader.get(path));
  const answer = await reader.get(record);
  if (answer.status !== 404)
    await run.precondition('AP-FILE-032', () => expectUnavailable(expectAttachment(answer), answer));
}

function expectUnavailable(file: JsonObject, exchange: Exchange): void {
  expect.members(file, { available: false, preview_url: null, download_url: null }, exchange);
}
