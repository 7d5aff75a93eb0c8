import { randomBytes } from 'node:crypto';
import type { Facts } from '@agent-platform/sdk/tools';
import { createRequestStateCodec, type RequestStateCodec } from '@modelcontextprotocol/server';

/** The state that a client returns with the answer to a question. It is signed and can be used once. */
export interface SealedRequest {
  /** Identifies the tool and its arguments. */
  readonly call: string;
  readonly facts: Facts;
  /** The stored approval that the user decides about on a page; absent for a form, whose answer is the decision. */
  readonly approval?: string;
}

const answerWithinSeconds = 600;

/**
 * Seals and opens requests. The key exists only in this process, so requests sealed by an earlier process are invalid,
 * and used requests need to be remembered only until the process exits.
 */
export class RequestSealer {
  readonly codec: RequestStateCodec<SealedRequest>;
  readonly #now: () => number;
  readonly #usedUntil = new Map<string, number>();

  constructor(now: () => number, key: Uint8Array = randomBytes(32)) {
    this.codec = createRequestStateCodec<SealedRequest>({ key, ttlSeconds: answerWithinSeconds });
    this.#now = now;
  }

  /** Marks a sealed request as used. Returns false if it was used before, or was sealed for another call. */
  take({ call, facts }: SealedRequest, thisCall: string): boolean {
    const now = this.#now();
    for (const [id, until] of this.#usedUntil) if (until < now) this.#usedUntil.delete(id);
    if (this.#usedUntil.has(facts.operation_id)) return false;
    this.#usedUntil.set(facts.operation_id, now + 2 * answerWithinSeconds * 1_000);
    return call === thisCall;
  }
}
