import { aborted } from 'node:util';
import { NotJudged, Skipped } from './expectations.ts';
import type { HttpRequest } from './http/http-client.ts';
import { quotePath } from './paths.ts';

const readOnlyReason = 'it takes a request that may create or change something, and the run is read-only';

/** Opens what a run must not send: with `readOnly` nothing that creates, and nothing more once the user ends it. */
export function openRestrictions(readOnly: boolean, signal: AbortSignal) {
  const interruption = aborted(signal, signal).then((): never => {
    throw new Skipped('the run was interrupted');
  });
  // Awaited beside each check; this catch only prevents an unhandled rejection.
  interruption.catch(() => undefined);
  return {
    interruption,
    /** Throws where a request must not be sent. */
    refuse: (request: HttpRequest): void => {
      if (signal.aborted) throw new Skipped('the run was interrupted');
      const { method, path, isUpgrade, headers } = request;
      // On a connection events are delivered and acknowledged. A quote is stated to leave neither reserve nor order.
      const isReading =
        isUpgrade === true
          ? headers['authorization'] === undefined
          : method === 'GET' || method === 'HEAD' || (method === 'POST' && path === quotePath);
      if (readOnly && !isReading) throw new NotJudged(readOnlyReason);
    },
    /** Throws where nothing may be created. */
    refuseToCreate: (): void => {
      if (readOnly) throw new NotJudged(readOnlyReason);
    },
  };
}
