import { isRecord } from '../json.ts';
import type { StoredEvent } from '../state/client-state.ts';
import type { OrderVersion } from './order-types.ts';

/** Notifies followers of possible order changes while an event stream is open. */
export type OrderChangeSource = Pick<OrderChangeNotifier, 'isLive' | 'follow'>;

/** Observes a client's event streams. It removes nothing from the inbox, so event handlers are not affected. */
export class OrderChangeNotifier {
  readonly #followers = new Set<(changed: OrderVersion | undefined) => void>();
  #streams = 0;

  /** Whether a stream is open, so that orders can be polled less often. */
  isLive(): boolean {
    return this.#streams > 0;
  }

  /** Calls `onChange` for each change event of this order and when a stream opens or ends; returns a stop function. */
  follow(orderId: string, onChange: () => void): () => void {
    const followed = orderId.toLowerCase();
    return this.followAll((changed) => {
      if (changed === undefined || changed.id === followed) onChange();
    });
  }

  /** Like `follow`, for all orders; `changed` is undefined when a stream opens or ends. */
  followAll(onChange: (changed: OrderVersion | undefined) => void): () => void {
    const follower = (changed: OrderVersion | undefined) => onChange(changed);
    this.#followers.add(follower);
    return () => this.#followers.delete(follower);
  }

  /** Notifies all followers when a stream opens: earlier changes may have been sent on other connections. */
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
