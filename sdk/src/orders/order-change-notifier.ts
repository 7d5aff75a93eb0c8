import { isRecord } from '../json.ts';
import type { StoredEvent } from '../state/client-state.ts';

/** Tells that orders may have changed: the event stream, while there is one. */
export type OrderChangeSource = Pick<OrderChangeNotifier, 'isLive' | 'follow'>;

/**
 * Overhears the event streams of a client. Whoever handles the events is not
 * disturbed: nothing is taken out of the inbox here.
 */
export class OrderChangeNotifier {
  readonly #followers = new Map<() => void, string>();
  #streams = 0;

  /** Whether a stream reports changes now; otherwise the order has to be polled. */
  isLive(): boolean {
    return this.#streams > 0;
  }

  /** Calls back at each `order.changed` of this order, and when a stream opens or ends. Returns how to stop that. */
  follow(orderId: string, onChange: () => void): () => void {
    const follower = () => onChange();
    this.#followers.set(follower, orderId.toLowerCase());
    return () => this.#followers.delete(follower);
  }

  /** A stream is open. Earlier changes may have been sent to other connections. */
  onOpen(): void {
    this.#streams += 1;
    this.#tell();
  }

  onEnd(): void {
    this.#streams -= 1;
    this.#tell();
  }

  onEvent({ kind, payload }: StoredEvent): void {
    if (kind === 'order.changed' && isRecord(payload)) this.#tell(String(payload['order_id']).toLowerCase());
  }

  #tell(orderId?: string): void {
    for (const [follower, followed] of [...this.#followers]) {
      if (orderId === undefined || orderId === followed) follower();
    }
  }
}
