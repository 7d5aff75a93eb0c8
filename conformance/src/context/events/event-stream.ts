import type { Budget } from '../budget.ts';
import { Skipped } from '../expectations.ts';
import type { Exchange, HttpRequest } from '../http/http-client.ts';
import { streamPath } from '../paths.ts';
import type { Redaction } from '../redaction.ts';
import { type Connection, openConnection } from './connection.ts';
import { eventsOf, type StreamEvent } from './frames.ts';

const optionalMaxMs = 2_000;

/** How a connection is asked for. */
export interface Handshake {
  /** In the header, and nowhere else. */
  readonly token?: string | undefined;
  /** With its query. */
  readonly path?: string;
}

/** The event stream of the server, as one run uses it. */
export interface EventStream {
  /** Whether an address of it was given. */
  readonly isThere: boolean;
  connect(handshake: Handshake): Promise<Connection>;
  /** All events that came so far, repeats included. */
  readonly heard: readonly HeardEvent[];
  /** What may take this long has come by then, or never comes. */
  readonly patienceMs: number;
  /** The same for what need not come: who leaves it out is not waited for as long. */
  readonly optionalMs: number;
  /** Closes what is still open; returns how many were open at the same time since the last call. */
  closeAll(): Promise<number>;
}

/** An event, and the agent that it came to. */
export interface HeardEvent extends StreamEvent {
  readonly agentId: string;
}

/** What the stream takes. */
export interface StreamParts {
  readonly wsUrl: string | undefined;
  readonly patienceMs: number;
  readonly budget: Budget;
  readonly redaction: Redaction;
  /** Hears of every connection. */
  note(exchange: Exchange): void;
  /** Whose token it is. */
  agentIdOf(token: string | undefined): string;
}

/** Opens the way to the event stream; nobody is asked for anything yet. */
export function openEventStream({ wsUrl, patienceMs, budget, redaction, note, agentIdOf }: StreamParts): EventStream {
  const connections = new Set<Connection>();
  const heard: HeardEvent[] = [];
  let most = 0;
  return {
    ...{ isThere: wsUrl !== undefined, heard, patienceMs, optionalMs: Math.min(optionalMaxMs, patienceMs) },
    connect: async ({ token, path = streamPath }) => {
      if (wsUrl === undefined) throw new Skipped('no --ws-url was given');
      const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
      const request: HttpRequest = { method: 'GET', path, headers, body: '', isUpgrade: true };
      redaction.hideAuthorization(headers['authorization']);
      await budget.pace('requests');
      const connection = await openConnection(`${wsUrl}${path}`, {
        request,
        clean: redaction.apply,
        heard: (frame) => {
          for (const event of eventsOf([frame])) heard.push({ ...event, agentId: agentIdOf(token) });
        },
      });
      note(connection.exchange);
      connections.add(connection);
      most = Math.max(most, [...connections].filter(({ isOpen }) => isOpen).length);
      budget.spent.sockets = Math.max(budget.spent.sockets, most);
      return connection;
    },
    closeAll: async () => {
      await Promise.all([...connections].map((connection) => connection.close()));
      connections.clear();
      const seen = most;
      most = 0;
      return seen;
    },
  };
}
