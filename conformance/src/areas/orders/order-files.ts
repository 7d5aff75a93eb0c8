import { type Check, defineCheck } from '../../context/check.ts';
import { expect } from '../../context/expectations.ts';
import type { Exchange } from '../../context/http/http-client.ts';
import { makePhoto, type Photo } from '../../payloads/jpeg.ts';
import { expectFileAbsent, expectJpeg, expectProcessedImage } from '../files/files.ts';
import { pathsOfFile, uploadFile } from '../files/uploading.ts';
import { changeProfile, setProfilePublic } from '../posts/publishing.ts';
import type { OrderRole } from './order-steps.ts';
import { expectOrder, Order, type OrderParties, orderParties, orderRoles } from './ordering.ts';

export const orderFileChecks: readonly Check[] = [
  defineCheck(orderParties, {
    id: 'orders.input-files',
    covers: ['AP-ORDER-025', 'AP-ORDER-029', 'AP-FILE-038', 'AP-VISIBLE-010'],
    rule: 'Only the participants of an order receive its original files, even if the profile of the owner is public.',
    cost: { writes: 6, uploads: 1 },
    async judge(parties, run) {
      const photo = makePhoto(run.random);
      await changeProfile(run, parties.customer, { profile_public: false });
      const file = await uploadFile(run, parties.customer, { ...photo, purpose: 'order' });
      const made = await parties.postOffer('customer', { input_attachment_ids: [file] });
      const offer = await run.precondition('AP-ORDER-025', () => {
        expectOnlyFile(made, 'input_attachments', file);
        return new Order(parties, 'customer', made);
      });
      await run.requirement('AP-FILE-038', async () => {
        for (const role of orderRoles)
          expectOnlyFile(expect.works(await offer.readAs(role)), 'input_attachments', file);
        await expectShared(parties, file, photo);
      });
      const isHidden = await run.requirement('AP-ORDER-029', async () => {
        await expectHidden(parties, file);
        return true;
      });
      // If other agents could read the file before, the public profile is not the cause.
      if (isHidden === true)
        await run.requirement('AP-VISIBLE-010', async () => {
          await setProfilePublic(run, parties.customer, true);
          await expectHidden(parties, file);
        });
      // Closes the order, because servers remove only the files of closed orders.
      await offer.act('cancel', 'customer');
    },
  }),
  defineCheck(orderParties, {
    id: 'orders.wrong-files',
    covers: ['AP-ORDER-025', 'AP-ORDER-026'],
    rule: "An order accepts the agent's own order files: other files are invalid_attachment, bound files attachment_already_bound.",
    cost: { writes: 9, uploads: 2 },
    async judge(parties, run) {
      const file = await uploadFile(run, parties.contractor, { ...makePhoto(run.random), purpose: 'order' });
      const work = await uploadFile(run, parties.contractor, { ...makePhoto(run.random), purpose: 'portfolio' });
      const offer = (author: OrderRole, id: string) => parties.postOffer(author, { input_attachment_ids: [id] });
      await run.requirement('AP-ORDER-025', async () => {
        expect.refusal(await offer('customer', file), 404, 'invalid_attachment');
        expect.refusal(await offer('contractor', work), 404, 'invalid_attachment');
        expect.refusal(await offer('contractor', run.random.uuid()), 404, 'invalid_attachment');
      });
      const made = await parties.offer('contractor', 4, { input_attachment_ids: [file] });
      await run.requirement('AP-ORDER-026', async () =>
        expect.refusal(await offer('contractor', file), 409, 'attachment_already_bound'),
      );
      await made.act('cancel', 'contractor');
    },
  }),
  defineCheck(orderParties, {
    id: 'orders.result-files',
    covers: ['AP-ORDER-066', 'AP-ORDER-067', 'AP-ORDER-026', 'AP-ORDER-029', 'AP-FILE-038'],
    rule: "A delivery accepts the agent's own order files, even without a text, and both participants receive the originals.",
    cost: { writes: 17, uploads: 4, creditsMinor: 100 },
    async judge(parties, run) {
      const photo = makePhoto(run.random);
      const file = await uploadFile(run, parties.contractor, { ...photo, purpose: 'order' });
      const foreign = await uploadFile(run, parties.customer, { ...makePhoto(run.random), purpose: 'order' });
      const work = await uploadFile(run, parties.contractor, { ...makePhoto(run.random), purpose: 'portfolio' });
      const order = await parties.acceptedOrder([['start', 'contractor']]);
      const deliver = (id: string) => {
        const change = { result_text: undefined, result_attachment_ids: [id] };
        return order.post(['deliver', 'contractor'], change);
      };
      await run.requirement('AP-ORDER-067', async () => {
        for (const id of [foreign, work, run.random.uuid()])
          expect.refusal(await deliver(id), 404, 'invalid_attachment');
        await order.expectUnchanged();
      });
      const offered = await uploadFile(run, parties.contractor, { ...makePhoto(run.random), purpose: 'order' });
      const other = await parties.offer('contractor', 4, { input_attachment_ids: [offered] });
      await run.requirement('AP-ORDER-026', async () =>
        expect.refusal(await deliver(offered), 409, 'attachment_already_bound'),
      );
      await other.act('cancel', 'contractor');
      const delivered = await deliver(file);
      const read = await order.readAs('customer');
      await run.precondition('AP-ORDER-066', () => {
        expectOnlyFile(delivered, 'result_attachments', file);
        expectOnlyFile(read, 'result_attachments', file);
        expect.member(expectOrder(delivered), 'state', 'delivered', delivered);
      });
      await run.requirement('AP-FILE-038', () => expectShared(parties, file, photo));
      await run.requirement('AP-ORDER-029', () => expectHidden(parties, file));
      await order.after(delivered).refund();
    },
  }),
];

function expectOnlyFile(exchange: Exchange, name: string, file: string): void {
  const files = expectOrder(expect.success(exchange))[name];
  expect(Array.isArray(files) && files.length === 1, `"${name}" does not have exactly one file`, exchange);
  expect.record(exchange, file, 'the file of the order');
}

async function expectShared(parties: OrderParties, file: string, photo: Photo): Promise<void> {
  const [record, preview, download] = pathsOfFile(file);
  for (const role of orderRoles) {
    const reader = parties[role];
    expect.record(await reader.get(record), file, 'the record of the file');
    const shown = await reader.get(preview);
    await parties.run.requirement(
      'AP-FILE-021',
      async () => {
        await expectJpeg(reader, shown);
        expectProcessedImage(shown, photo);
      },
      { isPart: true },
    );
    const original = expect.status(await reader.get(download), 200);
    expect(original.bytes.equals(photo.bytes), 'the download is not the original', original);
  }
}

async function expectHidden({ run }: OrderParties, file: string): Promise<void> {
  await expectFileAbsent(run, await run.freshAgent(), file);
  for (const path of pathsOfFile(file)) {
    const answer = await run.anonymous.get(path);
    const isRefused = answer.status === 401 || answer.status === 404;
    expect(isRefused, `without a token the status is ${answer.status}`, answer);
  }
}
