import { once } from 'node:events';
import { lstatSync, mkdirSync, rmSync } from 'node:fs';
import type { IncomingMessage, Server } from 'node:http';
import { join } from 'node:path';
import { umask } from 'node:process';
import { parseExactJson } from '@agent-platform/contract';
import { Check } from 'typebox/schema';
import { createServer } from '../../platform/http/headers.ts';
import { Refusal } from '../../platform/refusal.ts';
import { type FolderLock, FolderLockError, lockFolder } from '../../store/embedded/folder-lock.ts';
import { findCommand } from '../commands/all-commands.ts';
import { toOperatorFailure } from '../failure.ts';
import type { OperatorDependencies, ServerDependencies } from '../parts.ts';
import { operatorSocketPath, withShortSocketPath } from '../socket-path.ts';
import { findSystemUser, parseUserHeaders } from '../system-user.ts';
import { makeOperatorKey, type OperatorKey } from './operator-key.ts';
import { CommandRequest, commandPath, commandRequestMaxBytes } from './protocol.ts';

export interface OperatorSocket {
  /** Waits for running commands, up to a limit, and removes the socket. */
  close(): Promise<void>;
}

const requestWithinMs = 5_000;
const closeWithinMs = 5_000;

/** With this umask, only the owner may connect. */
const socketMask = 0o177;

/**
 * Listens for operator commands in the data folder. The server works without the socket, so a failure is only logged:
 * most likely another server on the same PostgreSQL uses the folder by mistake and owns the socket.
 */
export async function openOperatorSocket(parts: ServerDependencies): Promise<OperatorSocket | undefined> {
  const path = operatorSocketPath(parts.settings.dataDir);
  try {
    mkdirSync(parts.settings.dataDir, { recursive: true, mode: 0o700 });
    // Only the holder of this lock creates the socket, and the operating system releases the lock when the process
    // ends. So a socket that already exists is stale, and if two servers start at the same time, only one replaces it.
    const lock = await lockFolder(join(parts.settings.dataDir, 'operator'), 0);
    return await listen(parts, path, lock);
  } catch (error) {
    const reason =
      error instanceof FolderLockError
        ? 'Another running server uses this data folder. Give each server its own PLATFORM_DATA_DIR.'
        : String(error);
    parts.log.warn({ path, reason }, 'no operator socket: operator commands cannot reach this server');
    return undefined;
  }
}

async function listen(parts: ServerDependencies, path: string, lock: FolderLock): Promise<OperatorSocket> {
  try {
    removeStale(path);
    const key = makeOperatorKey(parts.settings.dataDir);
    const server = makeServer(parts, key);
    await withShortSocketPath(path, (short) => bind(server, short));
    return { close: () => close(server, path, key, lock) };
  } catch (error) {
    lock.release();
    throw error;
  }
}

function removeStale(path: string): void {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found?.isSocket() === false) throw new Error(`${path} exists and is not a socket. Move it.`);
  rmSync(path, { force: true });
}

function makeServer(parts: ServerDependencies, key: OperatorKey): Server {
  const options = {
    maxHeaderSize: 8_192,
    headersTimeout: requestWithinMs,
    requestTimeout: requestWithinMs,
    connectionsCheckingInterval: 1_000,
    keepAlive: false,
  };
  const server = createServer(options, async (request, response) => {
    const writeHead = (status: number) =>
      response.headersSent
        ? response
        : response.writeHead(status, { 'content-type': 'application/json', connection: 'close' });
    const note = (text: string) => void writeHead(200).write(`${JSON.stringify({ progress: text })}\n`);
    const { status, body } = await answerCommand(parts, key, request, note);
    writeHead(status).end(body);
  });
  server.maxConnections = 64;
  return server;
}

async function bind(server: Server, path: string): Promise<void> {
  // The umask determines the mode of the socket; a later chmod would leave a gap. The umask applies to the whole
  // process, but `listen` binds before it returns, so no other code runs in between.
  const before = umask(socketMask);
  try {
    server.listen(path);
  } finally {
    umask(before);
  }
  await once(server, 'listening');
}

async function close(server: Server, path: string, key: OperatorKey, lock: FolderLock): Promise<void> {
  const force = setTimeout(() => server.closeAllConnections(), closeWithinMs);
  const closed = once(server, 'close');
  server.close();
  await closed;
  clearTimeout(force);
  // Closing the server removes only the path that it bound, which may be the short one.
  rmSync(path, { force: true });
  key.remove();
  lock.release();
}

/** Returns the status and body of the response; never rejects. */
async function answerCommand(
  parts: ServerDependencies,
  key: OperatorKey,
  request: IncomingMessage,
  note: OperatorDependencies['note'],
) {
  try {
    if (!key.accepts(request.headers.authorization)) throw new Refusal('unauthorized', keyMissing);
    const { command, arguments: args } = await readRequest(request);
    const by = parseUserHeaders(request.headers, findSystemUser(parts.process.env));
    return { status: 200, body: JSON.stringify(await findCommand(command).run({ ...parts, note, by }, args)) };
  } catch (error) {
    const failure = toOperatorFailure(error);
    if (failure === undefined) parts.log.error({ err: error }, 'internal error in an operator command');
    const { code, message } = failure ?? defect;
    return { status: failure === undefined ? 500 : 400, body: JSON.stringify({ error: { code, message } }) };
  }
}

const keyMissing =
  'This server requires the key in the file operator.key of its data folder. Run the operator command of the same version, as the same user.';
const defect = { code: 'internal_error', message: 'The server failed; its log has the cause.' };

async function readRequest(request: IncomingMessage) {
  if (request.method !== 'POST' || request.url !== commandPath)
    throw new Refusal('not_found', `This socket accepts only POST ${commandPath}.`);
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) {
    text += chunk;
    if (text.length > commandRequestMaxBytes)
      throw new Refusal('body_too_large', `A command has at most ${commandRequestMaxBytes} bytes.`);
  }
  const body = parseJson(text);
  if (!Check(CommandRequest, body)) throw new Refusal('invalid_input', 'Send {"command": …, "arguments": {…}}.');
  return body;
}

function parseJson(text: string): unknown {
  try {
    return parseExactJson(text, () => Number.NaN);
  } catch {
    throw new Refusal('invalid_input', 'The body is not valid JSON.');
  }
}
