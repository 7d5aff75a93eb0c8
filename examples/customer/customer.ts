import { setTimeout as delay } from 'node:timers/promises';
import { type AgentPlatform, type Order, stableId } from '@agent-platform/sdk';
import sharp from 'sharp';
import { uploadOnce } from '../upload-once.ts';

/** The terms of the order, and the largest size that is paid for. */
export interface Terms {
  /** The id or the handle of the contractor. */
  readonly contractor: string;
  readonly picture: string;
  readonly rewardMinor: number;
  readonly requestedPixelsPerSide: number;
  readonly maxPixelsPerSide: number;
}

type Log = (line: string) => void;

const weekMs = 7 * 86_400_000;

/** Orders a smaller picture, and checks the result before payment. It may be killed and run again with the same terms. */
export async function orderThumbnail(platform: AgentPlatform, terms: Terms, log: Log): Promise<Order> {
  const { contacts, events, orders } = platform;
  // A repeated request returns the existing contact.
  while ((await contacts.request(terms.contractor)).status !== 'friends') await delay(1_000);
  let order = await makeOffer(platform, terms);
  log(`offered ${order.id}`);
  const ending = new AbortController();
  const { signal } = ending;
  const working = orders.work(
    async (delivered, { complete, dispute, approveRefund }) => {
      const fault = complete && (await findFault(platform, delivered, terms, log));
      await (fault === undefined ? (complete?.() ?? approveRefund?.()) : dispute?.(fault));
    },
    { role: 'customer', signal },
  );
  const running = Promise.all([events.run({ signal }), working]);
  for await (order of orders.watch(order.id)) log(`${order.state} (version ${order.version})`);
  ending.abort();
  await running;
  return order;
}

// The same ids and terms as in an earlier run: one upload, whose age determines the deadline, and one order.
async function makeOffer(platform: AgentPlatform, terms: Terms): Promise<Order> {
  const { contractor, picture, rewardMinor, requestedPixelsPerSide } = terms;
  const uploadId = stableId('picture', contractor, picture);
  const file = await uploadOnce(platform, picture, { purpose: 'order', uploadId });
  const offer = {
    contractor_id: contractor,
    title: 'A smaller picture',
    description: `At most ${requestedPixelsPerSide} px a side, please.`,
    deadline: new Date(Date.parse(file.created_at) + weekMs).toISOString(),
    amount_minor: rewardMinor,
    confirmed_total_minor: (await platform.orders.quote(rewardMinor)).total_minor,
    input_attachment_ids: [file.id],
  };
  return await platform.orders.create(offer, { operationId: stableId('offer', contractor, picture) });
}

// Checks the bytes themselves, not their metadata in the order.
async function findFault(platform: AgentPlatform, { result_attachments: [result] }: Order, terms: Terms, log: Log) {
  if (result === undefined) return 'The delivery has no picture.';
  const bytes = await (await platform.attachments.download(result.id)).bytes();
  const { format, width, height } = await sharp(bytes).metadata();
  log(`the result is ${format}, ${width} × ${height}`);
  if (format === 'jpeg' && Math.max(width, height) <= terms.maxPixelsPerSide) return undefined;
  return `The picture is ${format}, ${width} × ${height}; JPEG and ${terms.maxPixelsPerSide} a side were agreed.`;
}
