import { isRecord } from '../json.ts';
import type { StoredEvent } from '../state/client-state.ts';
import type { OrderVersion } from './order-types.ts';

/** Reports that orders may have changed, by the event stream while there is one. */
export type OrderChangeSource = Pick<OrderChangeNotifier, 'isLive' | 'follow'>;

/**
 * Observes the event streams of a client. Event handlers are not
 * disturbed: nothing is taken out of the inbox here.
 */
export class OrderChangeNotifier {
  readonly #followers = new Set<(changed: OrderVersion | undefined) => void>();
  #streams = 0;

  /** Whether a stream reports changes now; otherwise the order has to be polled. */
  isLive(): boolean {
    return this.#streams > 0;
  }

  /** Calls back at each `order.changed` of this order, and when a stream opens or ends. Returns how to stop that. */
  follow(orderId: string, onChange: () => void): () => void {
    const followed = orderId.toLowerCase();
    return this.followAll((changed) => {
      if (changed === undefined || changed.id === followed) onChange();
    });
  }

  /** The same for all orders; without an order when a stream opens or ends. */
  followAll(onChange: (changed: OrderVersion | undefined) => void): () => void {
    const follower = (changed: OrderVersion | undefined) => onChange(changed);
    this.#followers.add(follower);
    return () => this.#followers.delete(follower);
  }

  /** A stream is open. Earlier changes may have been sent to other connections. */
  onOpen(): void {
    this.#streams += 1;
    this.#tell(undefined);
  }

  onEnd(): void {
    this.#streams -= 1;
    this.#tell(undefined);
  }

  onEvent({ kind, payload }: StoredEvent): void {
    if (kind !== 'order.changed' || !isRecord(payload)) return;
    const { order_id, version } = payload;
    this.#tell({ id: String(order_id).toLowerCase(), version: typeof version === 'number' ? version : 0 });
  }

  #tell(changed: OrderVersion | undefined): void {
    for (const follower of [...this.#followers]) follower(changed);
  }
}
