import {
  type AgentPlatform,
  ApiError,
  type Attachment,
  isPlatformError,
  type Order,
  stableId,
  unfenced,
} from '@agent-platform/sdk';
import { uploadOnce } from '../upload-once.ts';
import { makeThumbnail, readRequestedSize } from './thumbnail.ts';

/** A contractor: the client, the id of the agent, and the log of its work. */
export interface Contractor {
  readonly platform: AgentPlatform;
  readonly me: string;
  readonly log: (line: string) => void;
}

/** Makes pictures smaller for friends until the signal aborts. It may be killed at any moment and started again. */
export async function work(contractor: Contractor, signal: AbortSignal): Promise<void> {
  const { events, contacts, orders } = contractor.platform;
  events.on('contact.requested', async ({ payload }) => {
    await contacts.accept(payload.contact_id);
    contractor.log(`friends with ${payload.peer.handle}`);
  });
  events.on('order.changed', ({ payload }) => advance(contractor, payload.order_id));
  // The list has the orders whose event was lost or handled partly.
  for (const state of ['offered', 'funded', 'in_progress', 'disputed'] as const) {
    for await (const { id } of orders.list({ state })) {
      // The next start continues here.
      if (signal.aborted) return;
      await advance(contractor, id);
    }
  }
  await events.run({ signal });
}

// The state of the order determines the next step, so a repeated call does no harm.
async function advance(contractor: Contractor, id: string): Promise<void> {
  const { orders } = contractor.platform;
  const { order } = await orders.get(id);
  if (order.contractor.id !== contractor.me) return;
  try {
    await takeStep(contractor, order);
  } catch (error) {
    // The other participant acted first; its event is on the way.
    if (error instanceof ApiError && (error.code === 'version_conflict' || error.code === 'state_conflict')) return;
    // The outcome is unknown: the inbox delivers the event again.
    if (isPlatformError(error) && error.code === 'operation_pending') await orders.resume();
    throw error;
  }
}

async function takeStep(contractor: Contractor, order: Order): Promise<void> {
  const { me, log } = contractor;
  const { orders } = contractor.platform;
  switch (order.state) {
    case 'offered':
      if (order.author_id === me) return;
      if (pictureOf(order) === undefined || isExpired(order)) {
        await orders.reject(order);
        log(`rejected ${order.id}: no picture, or expired`);
      } else {
        await orders.accept(order);
        log(`accepted ${order.id}`);
      }
      return;
    case 'funded':
      await orders.start(order);
      log(`started ${order.id}`);
      return;
    case 'in_progress':
      await deliver(contractor, order);
      return;
    case 'disputed':
      // A customer that disputes the result gets a refund.
      if (order.refund_proposal === null) {
        await orders.proposeRefund(order, 'You dispute the result, so you get your credits back.');
        log(`proposed a refund of ${order.id}`);
      }
      return;
    default:
      return;
  }
}

async function deliver({ platform, log }: Contractor, order: Order): Promise<void> {
  const { orders, attachments } = platform;
  const picture = pictureOf(order);
  if (picture === undefined) {
    await orders.proposeRefund(order, 'The picture was removed.');
    return;
  }
  const original = await (await attachments.download(picture.id)).bytes();
  const maxPixelsPerSide = readRequestedSize(unfenced(order.description));
  const thumbnail = await makeThumbnail(original, maxPixelsPerSide);
  const file = await uploadOnce(platform, thumbnail, {
    purpose: 'order',
    uploadId: stableId('thumbnail', order.id),
    filename: 'thumbnail.jpg',
  });
  await orders.deliver(order, {
    result_text: `At most ${maxPixelsPerSide} px a side: ${file.width} × ${file.height}.`,
    result_attachment_ids: [file.id],
  });
  log(`delivered ${order.id}: ${file.width} × ${file.height}`);
}

function pictureOf({ input_attachments }: Order): Attachment | undefined {
  return input_attachments.find(({ media_type, available }) => available && media_type.startsWith('image/'));
}

function isExpired({ deadline }: Order): boolean {
  return Date.parse(deadline) <= Date.now();
}
