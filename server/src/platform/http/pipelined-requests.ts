import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/** The most requests that may wait on a connection for the response before them. */
export const pipelinedMax = 64;

interface Turn {
  last: ServerResponse | undefined;
  waiting: number;
}

/**
 * Handles the requests of a connection one after the other: each begins when the
 * response before it is sent. A client that pipelines requests without reading would
 * otherwise collect all their responses in the memory of the server.
 *
 * @param isLast Whether this is the last request on the connection.
 */
export function serializePipelinedRequests(app: FastifyInstance, isLast: (request: IncomingMessage) => boolean): void {
  const turns = new WeakMap<Socket, Turn>();
  app.addHook('onRequest', (request, reply, done) => {
    const { socket } = request.raw;
    const turn = turns.get(socket) ?? openTurn(socket);
    turns.set(socket, turn);
    const before = turn.last;
    // The response of a connection that becomes an event stream would stay in memory as long as it is open.
    turn.last = isLast(request.raw) ? undefined : reply.raw;
    if (before === undefined || before.writableFinished) {
      done();
      return;
    }
    turn.waiting += 1;
    if (turn.waiting > pipelinedMax) {
      socket.destroy();
      return;
    }
    socket.pause();
    before.once('finish', () => {
      turn.waiting -= 1;
      if (turn.waiting === 0) socket.resume();
      done();
    });
  });
}

// The bytes behind a request that waits shall wait in the network. Node.js reads on with each response that it has sent.
function openTurn(socket: Socket): Turn {
  const turn: Turn = { last: undefined, waiting: 0 };
  socket.on('resume', () => {
    if (turn.waiting > 0) socket.pause();
  });
  return turn;
}
