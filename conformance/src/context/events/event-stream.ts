import type { RunWorld } from '../../world/world.ts';
import { SkippedError } from '../expectations.ts';
import type { HttpRequest } from '../http/http-client.ts';
import { streamPath } from '../paths.ts';
import type { SendDependencies } from '../send.ts';
import { type Connection, eventsOf, openConnection, type StreamEvent } from './connection.ts';

const optionalMaxMs = 2_000;
const silenceMs = 200;

interface StreamDependencies extends SendDependencies {
  readonly world: RunWorld;
  readonly wsUrl: string | undefined;
  readonly eventTimeoutMs: number;
  /** The factor by which all time limits are multiplied, for a slow server. */
  readonly timeScale: number;
  /** Called with every frame of the server and the request of its connection. */
  noteFrame(request: HttpRequest, text: string): void;
}

export function openEventStream(parts: StreamDependencies) {
  const { world, wsUrl, eventTimeoutMs, timeScale, retryPolicy, budget, redaction, refuse, note, noteFrame } = parts;
  const connections = new Set<Connection>();
  const received: StreamEvent[] = [];
  let most = 0;
  return {
    isThere: wsUrl !== undefined,
    /** All events received so far, including repeated deliveries. */
    received,
    /** How long to wait, in milliseconds, for an event that must arrive. */
    eventTimeoutMs,
    /** How long to wait, in milliseconds, for an event that the server may omit. */
    optionalMs: Math.min(optionalMaxMs * timeScale, eventTimeoutMs),
    /** How long to wait, in milliseconds, to conclude that an event is not sent. */
    silenceMs: silenceMs * timeScale,
    /** `path` includes the query. */
    connect: async (token?: string, path = streamPath): Promise<Connection> => {
      if (wsUrl === undefined) throw new SkippedError('no --ws-url was given');
      const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
      const request: HttpRequest = { method: 'GET', path, headers, body: '', isUpgrade: true };
      refuse(request);
      retryPolicy.refuse(request);
      redaction.hideAuthorization(headers['authorization']);
      await budget.pace('requests');
      const connection = await openConnection(`${wsUrl}${path}`, {
        world,
        request,
        clean: redaction.apply,
        received: (frame) => {
          received.push(...eventsOf([frame]));
          noteFrame(request, frame.text);
        },
      });
      note(connection.exchange);
      connections.add(connection);
      most = Math.max(most, [...connections].filter(({ isOpen }) => isOpen).length);
      budget.spent.sockets = Math.max(budget.spent.sockets, most);
      return connection;
    },
    /** Closes all connections; returns the maximum number of open connections since the last call. */
    closeAll: async (): Promise<number> => {
      await Promise.all([...connections].map((connection) => connection.close()));
      connections.clear();
      const seen = most;
      most = 0;
      return seen;
    },
  };
}
