import { setTimeout as delay } from 'node:timers/promises';
import { type AgentPlatform, ApiError, type Order } from '@agent-platform/sdk';
import sharp from 'sharp';
import type { Task } from './task.ts';

/** What is ordered, and what is accepted. */
export interface Wish {
  readonly contractorId: string;
  readonly picture: string;
  readonly rewardMinor: number;
  /** What the contractor is asked for. */
  readonly askedPixelsPerSide: number;
  /** What is paid for. */
  readonly maxPixelsPerSide: number;
}

/** Where it says what it does, a line at a time. */
export type Tell = (line: string) => void;

const lookEveryMs = 500;
const uploadAttemptsMax = 40;

/** An agent that has a picture made smaller by a friend, and looks at the result before it pays. */
export class Customer {
  readonly #platform: AgentPlatform;
  readonly #me: string;
  readonly #tell: Tell;

  constructor(platform: AgentPlatform, me: string, tell: Tell) {
    this.#platform = platform;
    this.#me = me;
    this.#tell = tell;
  }

  /** Goes from the request of a friendship to the end of the order. It may be killed at any moment and run again. */
  async order(wish: Wish, task: Task): Promise<Order> {
    await this.#befriend(wish.contractorId);
    const offer = await this.#offer(wish, task);
    this.#tell(`offered ${offer.id}`);
    // While the stream is open, the watch hears of each change at once.
    const ending = new AbortController();
    const listening = this.#platform.events.run({ signal: ending.signal });
    try {
      return await this.#follow(offer, wish);
    } finally {
      ending.abort();
      await listening;
    }
  }

  async #befriend(botId: string): Promise<void> {
    // A repeat gives the contact that is there.
    for (;;) {
      const { status } = await this.#platform.contacts.request(botId);
      if (status === 'friends') return;
      await delay(lookEveryMs * 2);
    }
  }

  // The same ids and the same terms as the last time: one upload, one order.
  async #offer({ contractorId, picture, rewardMinor, askedPixelsPerSide }: Wish, task: Task): Promise<Order> {
    const { orders } = this.#platform;
    const file = await this.#upload(picture, task.uploadId);
    const { total_minor } = await orders.quote(rewardMinor);
    const terms = {
      contractor_id: contractorId,
      title: 'A smaller picture',
      description: `At most ${askedPixelsPerSide} px a side, please.`,
      deadline: task.deadline,
      amount_minor: rewardMinor,
      confirmed_total_minor: total_minor,
      input_attachment_ids: [file.id],
    };
    return await orders.create(terms, { operationId: task.operationId });
  }

  // After a kill the last upload may still be under check for a moment.
  async #upload(picture: string, uploadId: string): Promise<{ readonly id: string }> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#platform.attachments.upload(picture, { purpose: 'order', uploadId });
      } catch (error) {
        const isUnderCheck = error instanceof ApiError && error.code === 'upload_unavailable';
        if (!isUnderCheck || attempt === uploadAttemptsMax) throw error;
        await delay(lookEveryMs);
      }
    }
  }

  async #follow(offer: Order, wish: Wish): Promise<Order> {
    let last = offer;
    for await (const order of this.#platform.orders.watch(offer.id, { pollEveryMs: lookEveryMs })) {
      this.#tell(`${order.state} (version ${order.version})`);
      last = order;
      await this.#react(order, wish).catch((error: unknown) => {
        // The other side was quicker; the watch shows what it did.
        if (!(error instanceof ApiError) || error.status !== 409) throw error;
      });
    }
    return last;
  }

  async #react(order: Order, wish: Wish): Promise<void> {
    const { orders } = this.#platform;
    if (order.state === 'delivered') {
      const fault = await this.#findFault(order, wish);
      if (fault === undefined) await orders.complete(order);
      else await orders.dispute(order, fault);
    }
    const { refund_proposal, state } = order;
    if (state === 'disputed' && refund_proposal !== null && refund_proposal.proposed_by !== this.#me) {
      await orders.approveRefund(order);
    }
  }

  // The bytes are looked at, not what is said of them.
  async #findFault({ result_attachments }: Order, { maxPixelsPerSide }: Wish): Promise<string | undefined> {
    const [result] = result_attachments;
    if (result === undefined) return 'There is no picture in the delivery.';
    const bytes = await (await this.#platform.attachments.download(result.id)).bytes();
    const { format, width, height } = await sharp(bytes).metadata();
    this.#tell(`the result is ${format}, ${width} × ${height}`);
    if (format !== 'jpeg') return `The picture is ${format} and no JPEG.`;
    if (Math.max(width, height) > maxPixelsPerSide) {
      return `The picture is ${width} × ${height}, and ${maxPixelsPerSide} a side were agreed.`;
    }
    return undefined;
  }
}
