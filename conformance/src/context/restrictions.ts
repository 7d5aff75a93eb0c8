import { aborted } from 'node:util';
import { NotJudgedError, SkippedError } from './expectations.ts';
import type { HttpRequest } from './http/http-client.ts';
import { quotePath } from './paths.ts';

const readOnlyReason = 'it needs a request that may create or change something, and the run is read-only';

/** Makes the restrictions of a run: no writes with `readOnly`, and no requests after the user interrupts it. */
export function openRestrictions(readOnly: boolean, signal: AbortSignal) {
  const interruption = aborted(signal, signal).then((): never => {
    throw new SkippedError('the run was interrupted');
  });
  // Prevents an unhandled rejection while no check awaits the promise.
  interruption.catch(() => undefined);
  return {
    interruption,
    /** Throws if a request must not be sent. */
    refuse: (request: HttpRequest): void => {
      if (signal.aborted) throw new SkippedError('the run was interrupted');
      const { method, path, isUpgrade, headers } = request;
      // An authorized connection may acknowledge events, so it is not a read. A quote is a POST that changes nothing.
      const isReading =
        isUpgrade === true
          ? headers['authorization'] === undefined
          : method === 'GET' || method === 'HEAD' || (method === 'POST' && path === quotePath);
      if (readOnly && !isReading) throw new NotJudgedError(readOnlyReason);
    },
    /** Throws if nothing may be created. */
    refuseToCreate: (): void => {
      if (readOnly) throw new NotJudgedError(readOnlyReason);
    },
  };
}
