import { endpoints } from '@agent-platform/contract/client';
import type { Liveness, Readiness } from '../records/health.ts';
import { ApiPromise } from '../transport/api-promise.ts';
import type { CallOptions } from '../transport/call-options.ts';
import type { Transport } from '../transport/transport.ts';

/** Liveness and readiness of the server; no token is needed or sent. */
export class Health {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Checks whether the server process is running.
   *
   * @throws ConnectionError, ApiError
   * @example
   * await platform.health.live(); // { status: 'ok', version: '0.1.0' }
   */
  live(options?: CallOptions): ApiPromise<Liveness> {
    return new ApiPromise(this.#transport.call(endpoints.readLiveness, {}, options));
  }

  /**
   * Checks whether the server can serve requests. `unavailable` is a result here, not an error.
   *
   * @throws ConnectionError, ApiError
   * @example
   * const { status } = await platform.health.ready(); // 'ok' or 'unavailable'
   */
  ready(options?: CallOptions): ApiPromise<Readiness> {
    return new ApiPromise(this.#transport.call(endpoints.readReadiness, {}, options));
  }
}
