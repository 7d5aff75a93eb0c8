import { randomUUID } from 'node:crypto';
import type { Check } from '../../context/check.ts';
import { codeOf, expect, expectRefusal, expectStatus } from '../../context/expectations.ts';
import type { PoolAgent } from '../../context/pool/pool.ts';
import { expectRecord } from '../../context/records.ts';
import type { Run } from '../../context/run.ts';
import { ensureCredits } from '../../fixtures/contacts/leases.ts';
import {
  act,
  actInSequence,
  bodyOf,
  expectOrder,
  expectUnchanged,
  makeOffer,
  orderOf,
  orderParties,
  postAction,
  postOrder,
  priceOf,
  readOrder,
  refund,
  termsOf,
} from '../../fixtures/orders/ordering.ts';
import { pathsOfFile, setProfilePublic, upload } from '../../fixtures/profiles/publishing.ts';
import { makePhoto, type Photo } from '../../payloads/jpeg.ts';
import { demandAbsent } from '../files/files.ts';

/** The files of orders, which are for the two alone. */
export const orderFileChecks: readonly Check[] = [
  {
    id: 'orders.input-files',
    covers: ['AP-ORDER-025', 'AP-ORDER-029', 'AP-FILE-038', 'AP-VISIBLE-010'],
    rule: 'Only the participants of an order receive its original files, even if the profile of the owner is public.',
    cost: { writes: 5, uploads: 1 },
    async judge(run) {
      const market = await orderParties(run);
      const photo = makePhoto();
      await setProfilePublic(run, market.customer, true);
      const file = await upload(run, market.customer, { ...photo, purpose: 'order' });
      const terms = { ...termsOf(market, 'customer'), input_attachment_ids: [file] };
      const made = await postOrder(run, market.customer, terms);
      expectStatus(made, 201);
      const offer = orderOf(made, 'customer');
      const { id } = offer;
      for (const reader of [market.customer, market.contractor]) {
        const read = await readOrder(run, reader, id);
        expectStatus(read, 200);
        const { input_attachments: files } = expectOrder(read);
        expect(Array.isArray(files) && files.length === 1, '"input_attachments" does not contain the file', read);
        expectRecord(read, file, 'the file of the order');
      }
      await demandShared(run, file, photo, [market.customer, market.contractor]);
      // Files of orders that are at their end are cleaned some day.
      await act(run, market, offer, 'cancel', 'customer');
    },
  },
  {
    id: 'orders.wrong-files',
    covers: ['AP-ORDER-025', 'AP-ORDER-026'],
    rule: 'An order accepts own order files: other files are invalid_attachment, bound files attachment_already_bound.',
    cost: { writes: 9, uploads: 2 },
    async judge(run) {
      const market = await orderParties(run);
      const file = await upload(run, market.contractor, { ...makePhoto(), purpose: 'order' });
      const work = await upload(run, market.contractor, { ...makePhoto(), purpose: 'portfolio' });
      const offer = (author: 'customer' | 'contractor', id: string) =>
        postOrder(run, market[author], { ...termsOf(market, author), input_attachment_ids: [id] });
      expectRefusal(await offer('customer', file), 404, 'invalid_attachment');
      expectRefusal(await offer('contractor', work), 404, 'invalid_attachment');
      expectRefusal(await offer('contractor', randomUUID()), 404, 'invalid_attachment');
      const made = await offer('contractor', file);
      expectStatus(made, 201);
      expectRefusal(await offer('contractor', file), 409, 'attachment_already_bound');
      await act(run, market, orderOf(made, 'contractor'), 'cancel', 'contractor');
    },
  },
  {
    id: 'orders.result-files',
    covers: ['AP-ORDER-066', 'AP-ORDER-067', 'AP-ORDER-029', 'AP-FILE-038'],
    rule: 'A delivery accepts own order files, also without a text, and both participants receive the originals.',
    cost: { writes: 11, uploads: 2, creditsMinor: 100 },
    needs: ['credits'],
    async judge(run) {
      const market = await orderParties(run);
      await ensureCredits(run, market.customer, priceOf(4, market.feeBps).totalMinor);
      const photo = makePhoto();
      const file = await upload(run, market.contractor, { ...photo, purpose: 'order' });
      const foreign = await upload(run, market.customer, { ...makePhoto(), purpose: 'order' });
      const order = await actInSequence(run, market, await makeOffer(run, market, 'customer'), [
        ['accept', 'contractor'],
        ['start', 'contractor'],
      ]);
      const deliver = (id: string) => {
        const { result_text: _, ...body } = bodyOf('deliver', 'contractor', order);
        return postAction(run, market.contractor, order.id, 'deliver', { ...body, result_attachment_ids: [id] });
      };
      for (const id of [foreign, randomUUID()]) expectRefusal(await deliver(id), 404, 'invalid_attachment');
      await expectUnchanged(run, market, order);
      const delivered = await deliver(file);
      expectStatus(delivered, 200);
      const { result_attachments: files, state } = expectOrder(delivered);
      expect(Array.isArray(files) && files.length === 1, '"result_attachments" does not contain the file', delivered);
      expect(state === 'delivered', `the order is ${String(state)}`, delivered);
      expectRecord(delivered, file, 'the file of the delivery');
      await demandShared(run, file, photo, [market.customer, market.contractor]);
      await refund(run, market, orderOf(delivered, 'customer'));
    },
  },
];

async function demandShared(run: Run, file: string, photo: Photo, readers: readonly PoolAgent[]): Promise<void> {
  const [record, preview, download] = pathsOfFile(file);
  for (const { token } of readers) {
    expectRecord(await run.send({ path: record, token }), file, 'the record of the file');
    expectStatus(await run.send({ path: preview, token }), 200);
    const got = await run.send({ path: download, token });
    expectStatus(got, 200);
    expect(got.bytes.equals(photo.bytes), 'the download is not the original', got);
  }
  await demandAbsent(run, file, (await run.freshAgent()).token);
  for (const path of [record, preview, download]) {
    const answer = await run.send({ path });
    const isRefused = answer.status === 401 || answer.status === 404;
    expect(isRefused, `without a token it was answered ${answer.status} ${codeOf(answer)}`, answer);
  }
}
