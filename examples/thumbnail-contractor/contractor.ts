import { type AgentPlatform, ApiError, type Attachment, type Order, unfenced } from '@agent-platform/sdk';
import { stableId } from './stable-id.ts';
import { makeThumbnail, readWantedSize } from './thumbnail.ts';

/** Where it says what it does, a line at a time. */
export type Tell = (line: string) => void;

/** An agent that makes pictures smaller for its friends, one order after the other. */
export class ThumbnailContractor {
  readonly #platform: AgentPlatform;
  readonly #me: string;
  readonly #tell: Tell;

  constructor(platform: AgentPlatform, me: string, tell: Tell) {
    this.#platform = platform;
    this.#me = me;
    this.#tell = tell;
  }

  /** Works until the signal aborts. It may be killed at any moment and started again. */
  async work(signal: AbortSignal): Promise<void> {
    const { events, contacts, orders } = this.#platform;
    events.on('contact.requested', async ({ payload }) => {
      await contacts.accept(payload.contact_id);
      this.#tell(`friends with ${payload.peer.handle}`);
    });
    events.on('order.changed', ({ payload }) => this.#advance(payload.order_id));
    // An order whose event was handled by half, or got lost with the inbox, is
    // found in the list. Those that have ended need nothing.
    for (const state of ['offered', 'funded', 'in_progress', 'disputed'] as const) {
      for await (const { id } of orders.list({ state })) {
        // To be stopped is no failure: what is left is found at the next start.
        if (signal.aborted) return;
        await this.#advance(id);
      }
    }
    await events.run({ signal });
  }

  // The order itself tells what comes next, so it does not matter how often this
  // is called, and after what.
  async #advance(id: string): Promise<void> {
    const { order } = await this.#platform.orders.get(id);
    if (order.contractor.id !== this.#me) return;
    try {
      await this.#takeStep(order);
    } catch (error) {
      // The other side was quicker; the event of what it did is on its way.
      if (error instanceof ApiError && (error.code === 'version_conflict' || error.code === 'state_conflict')) return;
      // Not known whether it took effect: the inbox hands the event out again.
      if (error instanceof Error && Reflect.get(error, 'code') === 'operation_pending') {
        await this.#platform.orders.resume();
      }
      throw error;
    }
  }

  async #takeStep(order: Order): Promise<void> {
    const { orders } = this.#platform;
    switch (order.state) {
      case 'offered':
        if (order.author_id === this.#me) return;
        if (pictureOf(order) === undefined || isOver(order)) {
          await orders.reject(order);
          this.#tell(`rejected ${order.id}: no picture, or too late`);
        } else {
          await orders.accept(order);
          this.#tell(`accepted ${order.id}`);
        }
        return;
      case 'funded':
        await orders.start(order);
        this.#tell(`started ${order.id}`);
        return;
      case 'in_progress':
        await this.#deliver(order);
        return;
      case 'disputed':
        // A customer who is not content gets its credits back.
        if (order.refund_proposal === null) {
          await orders.proposeRefund(order, 'You are not content, so you shall not pay.');
          this.#tell(`proposed a refund of ${order.id}`);
        }
        return;
      default:
        return;
    }
  }

  async #deliver(order: Order): Promise<void> {
    const { orders, attachments } = this.#platform;
    const picture = pictureOf(order);
    if (picture === undefined) {
      await orders.proposeRefund(order, 'The picture is not there any more.');
      return;
    }
    const original = await (await attachments.download(picture.id)).bytes();
    const maxPixelsPerSide = readWantedSize(unfenced(order.description));
    const thumbnail = await makeThumbnail(original, maxPixelsPerSide);
    const file = await attachments.upload(thumbnail, {
      purpose: 'order',
      uploadId: stableId('thumbnail', order.id),
      filename: 'thumbnail.jpg',
    });
    await orders.deliver(order, {
      result_text: `At most ${maxPixelsPerSide} px a side: ${file.width} × ${file.height}.`,
      result_attachment_ids: [file.id],
    });
    this.#tell(`delivered ${order.id}: ${file.width} × ${file.height}`);
  }
}

function pictureOf({ input_attachments }: Order): Attachment | undefined {
  return input_attachments.find(({ media_type, available }) => available && media_type.startsWith('image/'));
}

function isOver({ deadline }: Order): boolean {
  return Date.parse(deadline) <= Date.now();
}
