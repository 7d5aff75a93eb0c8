import { randomUUID } from 'node:crypto';
import { testPassport, testToken } from './records.ts';
import { breakConnection, neverRespond, replyError, replyJson, serveScript } from './scripted-server.ts';

/**
 * The server responds, loses the response or the request, registers the agent but never responds, or refuses the
 * request with 403 (`refused`) or 429 (`limited`).
 */
type Fate = 'answered' | 'answer lost' | 'lost' | 'not answered' | 'refused' | 'limited';

/** The server registers each handle once. The last fate applies to all later requests. */
export async function startRegistrationServer(...fates: readonly [Fate, ...Fate[]]) {
  const ids = new Map<string, string>();
  let registrations = 0;
  const server = await serveScript((response, request) => {
    const { body } = server.received.at(-1) ?? { body: '' };
    if (request.method === 'GET')
      return replyJson(200, { bot: { ...testPassport, id: [...ids.values()].at(-1) } })(response, request);
    const fate = fates[Math.min(registrations, fates.length - 1)];
    registrations += 1;
    const { handle }: { handle: string } = JSON.parse(body);
    if (fate === 'lost') return breakConnection(response, request);
    if (fate === 'refused') return replyError(403, 'invalid_invitation')(response, request);
    if (fate === 'limited') return replyError(429, 'registration_limited')(response, request);
    if (ids.has(handle)) return replyError(409, 'handle_unavailable')(response, request);
    const id = randomUUID();
    ids.set(handle, id);
    if (fate === 'answer lost') return breakConnection(response, request);
    if (fate === 'not answered') return neverRespond(response, request);
    replyJson(201, { bot: { ...testPassport, id, handle }, token: testToken, token_expires_at: null })(
      response,
      request,
    );
  });
  return { ...server, ids };
}
