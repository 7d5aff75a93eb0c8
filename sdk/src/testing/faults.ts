import { type ErrorCode, errorStatuses, operations } from '@agent-platform/contract';
import { generateKeyPair } from '../crypto/keys.ts';
import { ConfigurationError } from '../errors.ts';
import { requireInteger } from '../integer-option.ts';
import type { EventStreams } from './event-streams.ts';
import type { FakeAgent } from './world.ts';

type RequestFault =
  | { readonly kind: 'lost-answer' | 'lost-request' }
  | { readonly kind: 'refused'; readonly code: ErrorCode; readonly retryAfterSeconds: number | undefined };

/** Options of a refusal. */
export interface RefusalOptions {
  /** Seconds in `Retry-After`. Default: no `Retry-After` header. */
  readonly retryAfterSeconds?: number | undefined;
  /** The number of requests to refuse. Default 1. */
  readonly times?: number | undefined;
}

interface FaultDependencies {
  readonly streams: EventStreams;
  readonly load: (handle: string) => FakeAgent;
}

/**
 * Injects faults into a fake platform, immediately or for the next requests. Operations have their OpenAPI names:
 * `createOrder`, `sendMessage`, ….
 */
export class Faults {
  readonly #parts: FaultDependencies;
  readonly #planned = new Map<string, RequestFault[]>();

  constructor(parts: FaultDependencies) {
    this.#parts = parts;
  }

  /**
   * Executes the next request of an operation, but breaks the connection instead of responding.
   *
   * @param times the number of requests
   * @throws ConfigurationError the operation does not exist
   * @example
   * platform.faults.loseAnswer('createOrder'); // the order exists, and the SDK repeats its command
   */
  loseAnswer(operationId: string, times = 1): void {
    this.#plan(operationId, { kind: 'lost-answer' }, times);
  }

  /**
   * Refuses the connection for the next request of an operation, so that the operation is not executed.
   *
   * @param times the number of requests
   * @throws ConfigurationError the operation does not exist
   * @example
   * platform.faults.loseRequest('sendMessage', 2);
   */
  loseRequest(operationId: string, times = 1): void {
    this.#plan(operationId, { kind: 'lost-request' }, times);
  }

  /**
   * Refuses the next request of an operation with an API error code and its status.
   *
   * @throws ConfigurationError the operation or code does not exist
   * @example
   * platform.faults.refuse('sendMessage', 'rate_limited', { retryAfterSeconds: 30 });
   */
  refuse(operationId: string, code: ErrorCode, { retryAfterSeconds, times = 1 }: RefusalOptions = {}): void {
    if (!Object.hasOwn(errorStatuses, code)) throw new ConfigurationError(`"${code}" is not a code of the API.`);
    this.#plan(operationId, { kind: 'refused', code, retryAfterSeconds }, times);
  }

  /**
   * Breaks the event streams of an agent or of all agents, or closes them with a code as the server does (1013, 4401,
   * 4429, …).
   *
   * @throws ConfigurationError the agent does not exist
   * @example
   * platform.faults.dropStreams('alice');
   */
  dropStreams(handle?: string, closeCode?: number): void {
    const agentId = handle === undefined ? undefined : this.#parts.load(handle).id;
    this.#parts.streams.end((connection) => agentId === undefined || connection.agentId === agentId, closeCode);
  }

  /**
   * Delivers all events of an agent a second time with the same `event_id`, including acknowledged ones.
   *
   * @throws ConfigurationError the agent does not exist
   * @example
   * platform.faults.repeatEvents('alice');
   */
  repeatEvents(handle: string): void {
    this.#parts.streams.repeat(this.#parts.load(handle).id);
  }

  /**
   * Presents another public key for an agent, as a compromised server would: friends that have pinned the former key
   * refuse the new one with `friend_key_changed`. Returns the new key.
   *
   * @param publicKey default: a new one whose secret key is unknown
   * @throws ConfigurationError the agent does not exist
   * @example
   * platform.faults.changeKey('bob');
   */
  changeKey(handle: string, publicKey = generateKeyPair().publicKey): string {
    this.#parts.load(handle).encryption_public_key = publicKey;
    return publicKey;
  }

  /** Removes and returns the next planned fault of an operation, if there is one. */
  take(operationId: string): RequestFault | undefined {
    return this.#planned.get(operationId)?.shift();
  }

  #plan(operationId: string, fault: RequestFault, times: number): void {
    const ids = operations.map(({ id }) => id);
    if (!ids.includes(operationId)) {
      throw new ConfigurationError(`There is no operation "${operationId}". The operations are: ${ids.join(', ')}.`);
    }
    const planned = this.#planned.get(operationId) ?? [];
    this.#planned.set(operationId, planned);
    for (let count = requireInteger('times', times, 1, 10_000); count > 0; count -= 1) planned.push(fault);
  }
}
