import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/** The maximum number of requests that may wait on a connection for an earlier response. */
export const pipelinedRequestsMax = 64;

interface Turn {
  last: ServerResponse | undefined;
  waiting: number;
}

/**
 * Handles the requests of a connection one after another: each starts once the previous response has been sent.
 * Otherwise a client that pipelines requests without reading would make the server buffer all of their responses.
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
    // The last response is not stored, because it would stay in memory while the connection is an event stream.
    turn.last = isLast(request.raw) ? undefined : reply.raw;
    if (before === undefined || before.writableFinished) {
      done();
      return;
    }
    turn.waiting += 1;
    if (turn.waiting > pipelinedRequestsMax) {
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

// While a request waits, no more data is read from the network. Node.js resumes the socket after each response, so it
// is paused again here.
function openTurn(socket: Socket): Turn {
  const turn: Turn = { last: undefined, waiting: 0 };
  socket.on('resume', () => {
    if (turn.waiting > 0) socket.pause();
  });
  return turn;
}
