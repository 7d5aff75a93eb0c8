import type { NonceStore, RememberedEnvelope } from './client-state.ts';
import { acceptsMessageId } from './remembered-envelopes.ts';

/** Stores nonces in memory, in one map per peer and direction. */
export class MemoryNonceStore implements NonceStore {
  readonly #max: number;
  readonly #pools = new Map<string, Map<string, RememberedEnvelope>>();

  constructor(max: number) {
    this.#max = max;
  }

  async remember(envelopes: readonly RememberedEnvelope[]): Promise<readonly RememberedEnvelope[]> {
    return envelopes.map((envelope) => this.record(envelope));
  }

  record(envelope: RememberedEnvelope): RememberedEnvelope {
    const known = this.#find(envelope);
    if (known !== undefined && !acceptsMessageId(known, envelope)) return known;
    const result = known === undefined ? envelope : { ...known, message_id: envelope.message_id };
    const pool = this.#poolOf(envelope);
    pool.set(result.nonce, result);
    if (pool.size > this.#max) pool.delete(oldestOf(pool)?.nonce ?? '');
    return result;
  }

  #find({ peer_key, nonce }: RememberedEnvelope): RememberedEnvelope | undefined {
    const [sent, received] = [
      this.#poolOf({ peer_key, direction: 'sent' }),
      this.#poolOf({ peer_key, direction: 'received' }),
    ];
    return sent.get(nonce) ?? received.get(nonce);
  }

  #poolOf({ peer_key, direction }: Pick<RememberedEnvelope, 'peer_key' | 'direction'>) {
    const name = `${direction} ${peer_key}`;
    const pool = this.#pools.get(name) ?? new Map<string, RememberedEnvelope>();
    this.#pools.set(name, pool);
    return pool;
  }
}

function oldestOf(pool: ReadonlyMap<string, RememberedEnvelope>): RememberedEnvelope | undefined {
  let oldest: RememberedEnvelope | undefined;
  for (const one of pool.values()) if (oldest === undefined || one.at_ms < oldest.at_ms) oldest = one;
  return oldest;
}
