import { setTimeout as delay } from 'node:timers/promises';
import { type AgentPlatform, ApiError, type Order } from '@agent-platform/sdk';
import sharp from 'sharp';
import { uploadOnce } from '../upload-once.ts';
import type { Task } from './task.ts';

/** A customer: the client, the id of the agent, and the log of its progress. */
export interface Customer {
  readonly platform: AgentPlatform;
  readonly me: string;
  readonly log: (line: string) => void;
}

/** The terms of the order, and the check of its result. */
export interface Terms {
  /** The id or the handle of the contractor. */
  readonly contractorId: string;
  readonly picture: string;
  readonly rewardMinor: number;
  /** The size in the description of the order. */
  readonly requestedPixelsPerSide: number;
  /** The largest size that is paid for. */
  readonly maxPixelsPerSide: number;
}

const pollEveryMs = 500;

/**
 * Orders a smaller picture from a friend, from the contact request to the end of
 * the order, and checks the result before payment. It may be killed at any
 * moment and run again.
 */
export async function orderThumbnail(customer: Customer, terms: Terms, task: Task): Promise<Order> {
  const { platform, log } = customer;
  await befriend(platform, terms.contractorId);
  const offer = await makeOffer(platform, terms, task);
  log(`offered ${offer.id}`);
  // With an open stream the watch receives each change at once.
  const ending = new AbortController();
  const listening = platform.events.run({ signal: ending.signal });
  try {
    return await follow(customer, offer, terms);
  } finally {
    ending.abort();
    await listening;
  }
}

async function befriend(platform: AgentPlatform, agent: string): Promise<void> {
  // A repeated request returns the existing contact.
  while ((await platform.contacts.request(agent)).status !== 'friends') await delay(pollEveryMs * 2);
}

// The same ids and terms as in an earlier run: one upload, one order.
async function makeOffer(platform: AgentPlatform, terms: Terms, task: Task): Promise<Order> {
  const file = await uploadOnce(platform, terms.picture, { purpose: 'order', uploadId: task.uploadId });
  const { total_minor } = await platform.orders.quote(terms.rewardMinor);
  const offer = {
    contractor_id: terms.contractorId,
    title: 'A smaller picture',
    description: `At most ${terms.requestedPixelsPerSide} px a side, please.`,
    deadline: task.deadline,
    amount_minor: terms.rewardMinor,
    confirmed_total_minor: total_minor,
    input_attachment_ids: [file.id],
  };
  return await platform.orders.create(offer, { operationId: task.operationId });
}

async function follow(customer: Customer, offer: Order, terms: Terms): Promise<Order> {
  let last = offer;
  for await (const order of customer.platform.orders.watch(offer.id, { pollEveryMs })) {
    customer.log(`${order.state} (version ${order.version})`);
    last = order;
    await react(customer, order, terms).catch((error: unknown) => {
      // The other participant acted first; the watch returns the result.
      if (!(error instanceof ApiError) || error.status !== 409) throw error;
    });
  }
  return last;
}

async function react(customer: Customer, order: Order, terms: Terms): Promise<void> {
  const { orders } = customer.platform;
  if (order.state === 'delivered') {
    const fault = await findFault(customer, order, terms);
    if (fault === undefined) await orders.complete(order);
    else await orders.dispute(order, fault);
  }
  const { refund_proposal, state } = order;
  if (state === 'disputed' && refund_proposal !== null && refund_proposal.proposed_by !== customer.me) {
    await orders.approveRefund(order);
  }
}

// Checks the bytes themselves, not their metadata in the order.
async function findFault(
  { platform, log }: Customer,
  { result_attachments }: Order,
  { maxPixelsPerSide }: Terms,
): Promise<string | undefined> {
  const [result] = result_attachments;
  if (result === undefined) return 'The delivery has no picture.';
  const bytes = await (await platform.attachments.download(result.id)).bytes();
  const { format, width, height } = await sharp(bytes).metadata();
  log(`the result is ${format}, ${width} × ${height}`);
  if (format !== 'jpeg') return `The picture is ${format} and not JPEG.`;
  if (Math.max(width, height) <= maxPixelsPerSide) return undefined;
  return `The picture is ${width} × ${height}, and ${maxPixelsPerSide} a side were agreed.`;
}
