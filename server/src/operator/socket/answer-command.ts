import type { IncomingMessage, ServerResponse } from 'node:http';
import { Value } from 'typebox/value';
import { Refusal } from '../../platform/refusal.ts';
import { findCommand } from '../commands/all-commands.ts';
import { toFailure } from '../failure.ts';
import type { OperatorParts } from '../parts.ts';
import { CommandRequest, commandPath, requestMaxBytes } from './protocol.ts';

/** Answers one request on the operator's socket: a command in, its result or its failure out. */
export async function answerCommand(
  parts: OperatorParts,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    const { command, arguments: args } = await readRequest(request);
    send(response, 200, { result: await findCommand(command).run(parts, args) });
  } catch (error) {
    const failure = toFailure(error);
    if (failure === undefined) {
      parts.log.error({ err: error }, 'a defect in an operator command');
      send(response, 500, { error: { code: 'internal_error', message: 'The server failed; its log has the cause.' } });
    } else send(response, 400, { error: { code: failure.code, message: failure.message } });
  }
}

async function readRequest(request: IncomingMessage) {
  if (request.method !== 'POST' || request.url !== commandPath)
    throw new Refusal('not_found', `This socket accepts only POST ${commandPath}.`);
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    if (!Buffer.isBuffer(chunk)) throw new Error('A request came as text.');
    bytes += chunk.length;
    if (bytes > requestMaxBytes) throw new Refusal('body_too_large', `A command has at most ${requestMaxBytes} bytes.`);
    chunks.push(chunk);
  }
  const body = parse(Buffer.concat(chunks).toString());
  if (!Value.Check(CommandRequest, body)) throw new Refusal('invalid_input', 'Send {"command": …, "arguments": {…}}.');
  return body;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Refusal('invalid_input', 'The body is not valid JSON.');
  }
}

function send(response: ServerResponse, status: number, answer: object): void {
  const body = JSON.stringify(answer);
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  });
  response.end(body);
}
