import { createHash, randomBytes } from 'node:crypto';
import { createRequestStateCodec, type RequestStateCodec } from '@modelcontextprotocol/server';
import type { Facts } from '../tools/tool.ts';

/** The state that a client carries between question and answer. It is signed and can be used once. */
export interface SealedRequest {
  /** Names the tool and its arguments. */
  readonly call: string;
  readonly facts: Facts;
}

/** How long a person may take. */
const answerWithinSeconds = 600;

/** Names a tool and its arguments, whatever the order of the members. */
export function nameCall(tool: string, input: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify([tool, sorted(input)]))
    .digest('hex');
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(JSON.parse(JSON.stringify(value)));
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([name, one]) => [name, sorted(one)]));
}

/**
 * Seals and opens requests. The key exists only in this process, so requests sealed by an earlier process are invalid,
 * and used requests need to be remembered only until the process exits.
 */
export class Sealer {
  readonly codec: RequestStateCodec<SealedRequest>;
  readonly #now: () => number;
  readonly #usedUntil = new Map<string, number>();

  constructor(now: () => number, key: Uint8Array = randomBytes(32)) {
    this.codec = createRequestStateCodec<SealedRequest>({ key, ttlSeconds: answerWithinSeconds });
    this.#now = now;
  }

  /** Takes a sealed request for this call; false when it was used before, or was sealed for another call. */
  take({ call, facts }: SealedRequest, thisCall: string): boolean {
    const now = this.#now();
    for (const [id, until] of this.#usedUntil) if (until < now) this.#usedUntil.delete(id);
    if (this.#usedUntil.has(facts.operation_id)) return false;
    this.#usedUntil.set(facts.operation_id, now + 2 * answerWithinSeconds * 1_000);
    return call === thisCall;
  }
}
