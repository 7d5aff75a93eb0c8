import { request } from 'node:http';
import { Value } from 'typebox/value';
import { OperatorFailure } from '../failure.ts';
import { socketPathOf, withShortPath } from '../socket-path.ts';
import { answerMaxBytes, CommandAnswer, commandPath } from './protocol.ts';

/** Nobody listens: no socket, or one that a killed server left behind. */
const nobodyThere = new Set(['ENOENT', 'ECONNREFUSED', 'ENOTDIR', 'ENOTSOCK']);

/** What a server said, or that there is none. */
export type ServerReply = { readonly isThere: false } | { readonly isThere: true; readonly result: unknown };

/** A command of the table, as far as the one who asks for it has to know it. */
export interface AskedCommand {
  readonly name: string;
  readonly answerWithinMs: number;
}

/** Lets the running server of a data folder do a command. */
export async function askServer(dataDir: string, command: AskedCommand, args: object): Promise<ServerReply> {
  const path = socketPathOf(dataDir);
  const body = JSON.stringify({ command: command.name, arguments: args });
  let text: string;
  try {
    text = await withShortPath(path, (socketPath) => post(socketPath, body, command.answerWithinMs));
  } catch (error) {
    const code = error instanceof Error ? Reflect.get(error, 'code') : undefined;
    if (typeof code === 'string' && nobodyThere.has(code)) return { isThere: false };
    throw explain(error, code, path);
  }
  const answer = parse(text);
  if (!Value.Check(CommandAnswer, answer)) {
    throw new OperatorFailure(
      'another_version',
      `${path} returned an unknown answer. Use the operator of the server's own version.`,
    );
  }
  if ('error' in answer) throw new OperatorFailure(answer.error.code, answer.error.message);
  return { isThere: true, result: answer.result };
}

async function post(socketPath: string, body: string, answerWithinMs: number): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const asking = request({
    socketPath,
    path: commandPath,
    method: 'POST',
    agent: false,
    signal: AbortSignal.timeout(answerWithinMs),
    headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
  });
  asking.once('error', reject);
  asking.once('response', (response) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    response.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > answerMaxBytes) response.destroy(new Error(`The answer is over ${answerMaxBytes} bytes.`));
    });
    response.once('error', reject);
    response.once('end', () => resolve(Buffer.concat(chunks).toString()));
  });
  asking.end(body);
  return await promise;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function explain(error: unknown, code: unknown, path: string): unknown {
  if (code === 'EACCES' || code === 'EPERM') {
    return new OperatorFailure(
      'not_permitted',
      `${path} belongs to another user. Run the operator as the user that runs the server.`,
      error,
    );
  }
  if (error instanceof OperatorFailure) return error;
  return new OperatorFailure(
    'outcome_unknown',
    `The running server did not complete its answer (${error instanceof Error ? error.message : String(error)}). The command may have taken effect: check before you repeat it.`,
    error,
  );
}
