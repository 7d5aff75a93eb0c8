import { type CloseCode, closeCodes, type ErrorCode } from '@agent-platform/contract';
import type { WebSocket } from 'ws';
import type { Caller } from '../identity/tokens/token-queries.ts';
import { newId } from '../platform/crypto.ts';
import { makeAddressKey, networkKeysOf } from '../platform/http/address.ts';
import { type RefusalLog, truncateForLog } from '../platform/http/refusal-log.ts';
import type { Logger } from '../platform/logger.ts';
import { Refusal } from '../platform/refusal.ts';
import { StoreUnavailableError } from '../store/unavailable.ts';
import { EventConnection } from './connection-commands.ts';
import { EventSocket, socketCloseTimeoutMs } from './event-socket.ts';
import type { ExceededLimit } from './slots/connection-slots.ts';
import type { EventStream, StreamDependencies } from './stream-commands.ts';

export interface AdmissionDependencies extends Pick<StreamDependencies, 'log' | 'slots' | 'telemetry'> {
  readonly stream: EventStream;
  /** Authenticates an Authorization header; refuses with `unauthorized` or `forbidden`. */
  readonly authenticate: (header: string | undefined) => Promise<Caller>;
  /** Counts a request from an address; returns a refusal above the limit. */
  readonly limitAddress: (address: string) => Refusal | undefined | Promise<Refusal | undefined>;
  readonly refusals: RefusalLog;
  readonly isClosing: () => boolean;
}

/** An upgraded connection; even refused clients are upgraded, so that they can read the close code (§7.6). */
interface Arrival {
  readonly requestId: string;
  readonly hasQuery: boolean;
  readonly authorization: string | undefined;
  readonly address: string;
}

/** The maximum number of concurrent handshakes. It limits memory; reconnections after a restart stay far below it. */
const arrivalsMax = 10_000;

export type ConnectionAdmitter = (socket: WebSocket, arrival: Arrival) => void;

export function makeConnectionAdmitter(parts: AdmissionDependencies): ConnectionAdmitter {
  let arriving = 0;

  return (socket, arrival) => {
    // Listeners are attached immediately, but frames are not read until admission.
    socket.pause();
    const admitted = reportEnd(parts, socket, arrival.requestId, arrival.address);
    if (arriving >= arrivalsMax) {
      refuse(socket, 1013, 'Too many concurrent handshakes. Reconnect later.');
      return;
    }
    arriving += 1;
    admit(parts, socket, arrival, admitted)
      .catch((error: unknown) => refuse(socket, ...explain(error, parts.log, arrival)))
      .finally(() => {
        arriving -= 1;
      });
  };
}

// Logs the end of a connection. Returns a function to which the caller must pass the admitted connection. To save
// memory, the closure, which lives as long as the socket, does not reference the handshake's token, and copies the id:
// an id from `randomUUID` consists of 15 strings that take 448 bytes.
function reportEnd(parts: AdmissionDependencies, socket: WebSocket, id: string, address: string) {
  const { stream, slots, log, refusals, telemetry } = parts;
  const requestId = Buffer.from(id).toString('latin1');
  const startedMs = performance.now();
  let connection: EventConnection | undefined;
  socket.on('close', (seen) => {
    if (connection !== undefined) {
      stream.leave(connection);
      slots.release(connection.id);
    }
    const code = (socket instanceof EventSocket ? socket.closedWith : undefined) ?? seen;
    const ms = Math.round(performance.now() - startedMs);
    telemetry?.meters?.closedConnections.add(1, { code: labelOf(code) });
    const line = {
      request_id: requestId,
      address: truncateForLog(address),
      agent: connection?.bearer.agentId,
      code,
      ms,
    };
    const { delivered, acknowledged } = connection ?? { delivered: 0, acknowledged: 0 };
    const ended = { ...line, delivered, acknowledged };
    if (connection === undefined) refusals.write(ended, 'event connection closed');
    else log.info(ended, 'event connection closed');
  });
  return (admitted: EventConnection) => {
    connection = admitted;
  };
}

// Clients may close with any code from 3000 on, so all unknown codes share one metric label.
function labelOf(code: number): string {
  return code < 3_000 || Object.hasOwn(closeCodes, code) ? String(code) : 'other';
}

async function admit(
  parts: AdmissionDependencies,
  socket: WebSocket,
  arrival: Arrival,
  admitted: (connection: EventConnection) => void,
): Promise<void> {
  const { stream, slots } = parts;
  const stopping = [1013, 'The server is shutting down. Reconnect later.'] as const;
  if (parts.isClosing()) return refuse(socket, ...stopping);
  const tooMany = await parts.limitAddress(arrival.address);
  if (tooMany !== undefined) throw tooMany;
  // A query string is refused before the token is read, because tokens must not be in the URL (§7.5).
  if (arrival.hasQuery) return refuse(socket, 4400, 'The URL must not have a query; send the token in the header.');
  const { agent, tokenHash } = await parts.authenticate(arrival.authorization);
  if (socket.readyState !== socket.OPEN) return;
  const id = newId();
  const networks = networkKeysOf(makeAddressKey(arrival.address));
  const giveUp = () =>
    refuse(
      socket,
      4429,
      'All event connections are in use, and this one was reassigned to a network that had none. Reconnect later.',
    );
  const exceeded = await slots.take({ id, agentId: agent.id, networks, giveUp });
  if (exceeded !== undefined) return refuse(socket, 4429, fullReasons[exceeded]);
  if (socket.readyState !== socket.OPEN || parts.isClosing()) {
    slots.release(id);
    return refuse(socket, ...stopping);
  }
  const connection = new EventConnection(id, { agentId: agent.id, tokenHash }, socket, stream);
  admitted(connection);
  socket.on('message', (data: Buffer, isBinary) => connection.receive(data, isBinary));
  socket.on('ping', () => connection.receiveControl());
  socket.on('pong', () => connection.receivePong());
  await stream.join(connection);
  socket.resume();
}

const fullReasons: Readonly<Record<NonNullable<ExceededLimit>, string>> = {
  perAgent: 'The agent has reached its event connection limit. Close a connection first.',
  perAddress: 'Your address has reached its event connection limit (PLATFORM_EVENT_CONNECTIONS_PER_ADDRESS).',
  inAll: 'The server has reached its event connection limit. Reconnect later.',
};

const closings: Partial<Record<ErrorCode, readonly [CloseCode, string]>> = {
  unauthorized: [4401, 'No valid token. Send it in the Authorization header.'],
  forbidden: [4403, 'The agent is suspended.'],
  rate_limited: [4429, 'Too many requests from this address.'],
};

function explain(error: unknown, log: Logger, { requestId }: Arrival): readonly [CloseCode, string] {
  const known = error instanceof Refusal ? closings[error.code] : undefined;
  if (known !== undefined) return known;
  if (!(error instanceof StoreUnavailableError)) log.error({ request_id: requestId, err: error }, 'internal error');
  return [1013, 'The service is temporarily unavailable. Reconnect later.'];
}

function refuse(socket: WebSocket, code: CloseCode, reason: string): void {
  socket.resume();
  socket.close(code, reason);
  // Terminates the connection soon, so that shutdown does not wait for peers that were not admitted.
  const force = setTimeout(() => socket.terminate(), socketCloseTimeoutMs);
  socket.once('close', () => clearTimeout(force));
}
