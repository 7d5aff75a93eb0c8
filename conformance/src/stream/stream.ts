import type { Budget } from '../budget.ts';
import { Unmet } from '../judge.ts';
import type { Redaction } from '../redaction.ts';
import type { Asked, Exchange } from '../wire.ts';
import { type Connection, openConnection } from './connection.ts';
import { eventsOf } from './frames.ts';

/** Where the events are. */
export const streamPath = '/ws/v1/events/';

/** How a connection is asked for. */
export interface Handshake {
  /** In the header, and nowhere else. */
  readonly token?: string | undefined;
  /** With its query. */
  readonly path?: string;
}

/** The event stream of the server, as one run uses it. */
export interface Stream {
  connect(handshake: Handshake): Promise<Connection>;
  /** The ids of all events that came so far, in lower case. */
  readonly known: ReadonlySet<string>;
  /** What may take this long has come by then, or never comes. */
  readonly patienceMs: number;
  /** Closes what is still open; returns how many were open at the same time since the last call. */
  closeAll(): Promise<number>;
}

/** What the stream takes. */
export interface StreamParts {
  readonly wsUrl: string | undefined;
  readonly patienceMs: number;
  readonly budget: Budget;
  readonly redaction: Redaction;
  /** Hears of every connection. */
  note(exchange: Exchange): void;
}

/** Opens the way to the event stream; nobody is asked for anything yet. */
export function openStream({ wsUrl, patienceMs, budget, redaction, note }: StreamParts): Stream {
  const connections = new Set<Connection>();
  const known = new Set<string>();
  let most = 0;
  return {
    ...{ known, patienceMs },
    connect: async ({ token, path = streamPath }) => {
      if (wsUrl === undefined) throw new Unmet('no --ws-url was given');
      const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
      const asked: Asked = { method: 'GET', path, headers, body: '', isUpgrade: true };
      redaction.hideAuthorization(headers['authorization']);
      await budget.pace('requests');
      const connection = await openConnection(`${wsUrl}${path}`, {
        asked,
        clean: redaction.apply,
        heard: (frame) => {
          for (const { id } of eventsOf([frame])) known.add(id.toLowerCase());
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
