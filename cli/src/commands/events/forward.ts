import { createHmac } from 'node:crypto';
import { messageOf } from '@agent-platform/cli-core/errors/failure';
import type { EventRunner } from './execute.ts';

const responseMaxMs = 30_000;

/**
 * Passes events to a server over HTTP. With a secret, the request is signed: `AgentP-Signature` is `v1=` and the
 * hexadecimal HMAC-SHA-256 of the timestamp, a dot and the body. A 2xx response finishes the event; redirects are not
 * followed.
 */
export function makeForwardingRunner(url: string, secret: string | undefined): EventRunner {
  return async ({ event_id, attempt, body, signal }, { io }) => {
    const timestamp = String(Math.floor(io.now().getTime() / 1_000));
    const headers = new Headers({
      'content-type': 'application/json',
      'agentp-event-id': event_id,
      'agentp-attempt': String(attempt),
      'agentp-timestamp': timestamp,
    });
    if (secret !== undefined) {
      const hex = createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex');
      headers.set('agentp-signature', `v1=${hex}`);
    }
    const limited = AbortSignal.any([signal, AbortSignal.timeout(responseMaxMs)]);
    try {
      const response = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal: limited });
      await response.body?.cancel();
      const end = { exitCode: null, signal: null, httpStatus: response.status };
      return { end, failure: response.ok ? null : `${url} answered ${response.status}.` };
    } catch (error) {
      const reason = error instanceof Error && error.cause !== undefined ? messageOf(error.cause) : messageOf(error);
      return { end: { exitCode: null, signal: null, httpStatus: null }, failure: `${url} did not answer: ${reason}` };
    }
  };
}
