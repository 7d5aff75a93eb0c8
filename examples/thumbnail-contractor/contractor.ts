import {
  type AgentPlatform,
  type Delivery,
  type Order,
  type OrderActions,
  stableId,
  unfenced,
} from '@agent-platform/sdk';
import { uploadOnce } from '../upload-once.ts';
import { makeThumbnail, readRequestedSize } from './thumbnail.ts';

/** Makes pictures smaller for friends until the signal aborts. It may be killed at any moment and started again. */
export async function work(platform: AgentPlatform, log: (line: string) => void, signal: AbortSignal): Promise<void> {
  platform.events.on('contact.requested', async ({ payload }) => {
    await platform.contacts.accept(payload.contact_id);
    log(`friends with ${payload.peer.handle}`);
  });
  const working = platform.orders.work(
    async (order, actions) => {
      const changed = await takeStep(platform, order, actions);
      if (changed !== undefined) log(`${changed.state} ${changed.id}`);
    },
    { role: 'contractor', signal },
  );
  await Promise.all([platform.events.run({ signal }), working]);
}

// The state of the order determines the next step, so a repeated call does no harm.
async function takeStep(
  platform: AgentPlatform,
  order: Order,
  { accept, reject, start, deliver, proposeRefund }: OrderActions,
): Promise<Order | undefined> {
  const isPicture = ({ media_type, available }: { media_type: string; available: boolean }) =>
    available && media_type.startsWith('image/');
  const picture = order.input_attachments.find(isPicture);
  // An offer that has expired can only be rejected.
  if (order.state === 'offered') return await (picture && accept ? accept() : reject?.());
  if (start) return await start();
  if (deliver && picture) return await deliver(await makeSmaller(platform, order, picture.id));
  // A customer that disputes the result, or has removed its picture, gets a refund.
  return await proposeRefund?.('You get your credits back.');
}

async function makeSmaller(platform: AgentPlatform, order: Order, pictureId: string): Promise<Delivery> {
  const original = await (await platform.attachments.download(pictureId)).bytes();
  const maxPixelsPerSide = readRequestedSize(unfenced(order.description));
  const file = await uploadOnce(platform, await makeThumbnail(original, maxPixelsPerSide), {
    purpose: 'order',
    uploadId: stableId('thumbnail', order.id),
    filename: 'thumbnail.jpg',
  });
  return { result_text: `${file.width} × ${file.height} pixels`, result_attachment_ids: [file.id] };
}
