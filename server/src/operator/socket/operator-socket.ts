import { once } from 'node:events';
import { lstatSync, mkdirSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { umask } from 'node:process';
import { FolderInUse, type FolderLock, lockFolder } from '../../store/folder-lock.ts';
import type { OperatorParts } from '../parts.ts';
import { socketPathOf, withShortPath } from '../socket-path.ts';
import { answerCommand } from './answer-command.ts';

/** The socket through which an operator's process reaches this server. */
export interface OperatorSocket {
  readonly path: string;
  /** Finishes the commands that have begun, within a limit, and removes the socket. */
  close(): Promise<void>;
}

const limits = {
  headersMaxBytes: 8_192,
  requestMs: 5_000,
  connectionsMax: 64,
  closeWithinMs: 5_000,
};

/** For the owner alone. */
const socketMask = 0o177;

/**
 * Listens for the operator in the data folder. Without it the server can still
 * do all its work, so what stands in the way is a warning and not an end: most
 * likely another server on the same PostgreSQL shares the folder by mistake, and
 * its socket must stay its own.
 */
export async function openOperatorSocket(parts: OperatorParts): Promise<OperatorSocket | undefined> {
  const path = socketPathOf(parts.settings.dataDir);
  try {
    mkdirSync(parts.settings.dataDir, { recursive: true, mode: 0o700 });
    // Who holds this lock owns the socket's name, and the system drops it with its
    // holder. So a socket that is found here has nobody behind it, and of two
    // servers that start at once only one removes and makes it.
    const lock = await lockFolder(join(parts.settings.dataDir, 'operator'), 0);
    return await listen(parts, path, lock);
  } catch (error) {
    const reason =
      error instanceof FolderInUse
        ? 'Another running server uses this data folder. Give each server its own PLATFORM_DATA_DIR.'
        : String(error);
    parts.log.warn({ path, reason }, 'no operator socket: operator commands do not reach this server');
    return undefined;
  }
}

async function listen(parts: OperatorParts, path: string, lock: FolderLock): Promise<OperatorSocket> {
  try {
    removeStale(path);
    const server = makeServer(parts);
    await withShortPath(path, (short) => bind(server, short));
    return { path, close: () => close(server, path, lock) };
  } catch (error) {
    lock.release();
    throw error;
  }
}

function removeStale(path: string): void {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return;
  if (!found.isSocket()) throw new Error(`${path} exists and is not a socket. Move it away.`);
  rmSync(path, { force: true });
}

function makeServer(parts: OperatorParts): Server {
  const server = createServer(
    {
      maxHeaderSize: limits.headersMaxBytes,
      headersTimeout: limits.requestMs,
      requestTimeout: limits.requestMs,
      connectionsCheckingInterval: 1_000,
      keepAlive: false,
    },
    (request, response) => {
      answerCommand(parts, request, response).catch((error: unknown) => {
        parts.log.error({ err: error }, 'a defect: an operator command could not be answered');
        response.destroy();
      });
    },
  );
  server.maxConnections = limits.connectionsMax;
  return server;
}

async function bind(server: Server, path: string): Promise<void> {
  // A socket is made with the modes that the mask leaves, and a chmod after it
  // would come too late for whoever connects between. The mask is the whole
  // process's, and `listen` binds before it returns: nothing else runs meanwhile.
  const before = umask(socketMask);
  try {
    server.listen(path);
  } finally {
    umask(before);
  }
  await once(server, 'listening');
}

async function close(server: Server, path: string, lock: FolderLock): Promise<void> {
  const force = setTimeout(() => server.closeAllConnections(), limits.closeWithinMs);
  const closed = once(server, 'close');
  server.close();
  server.closeIdleConnections();
  await closed;
  clearTimeout(force);
  // The system removed the name it was bound by, which may have been the short one.
  rmSync(path, { force: true });
  lock.release();
}
