/** The path of the event stream, relative to the stream's address; the trailing slash is part of it. */
export const eventsPath = '/ws/v1/events/';

export const eventKinds = [
  'contact.requested',
  'contact.accepted',
  'contact.blocked',
  'message.created',
  'order.changed',
] as const;

/** The reasons why the server closes a connection, by close code (§7.29). */
export const closeCodes = {
  1009: 'A frame was larger than 4 KiB.',
  1013: 'The server is shutting down or overloaded; reconnect later.',
  4400: 'The client violated the protocol; fix it before the next connection.',
  4401: 'No valid token, or the token expired or was revoked during the connection.',
  4403: 'The agent is inactive.',
  4429: 'Too many connections or frames; wait.',
} as const;
export type CloseCode = keyof typeof closeCodes;

/** Codes after which a new connection also fails until the cause is fixed. */
export const finalCloseCodes: ReadonlySet<number> = new Set<CloseCode>([4400, 4401, 4403]);
