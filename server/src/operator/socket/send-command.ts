import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { Check } from 'typebox/schema';
import type { SystemUser } from '../../identity/audit-commands.ts';
import { errorCodeOf, errorMessageOf } from '../../platform/error-facts.ts';
import { request } from '../../platform/http/headers.ts';
import type { CommandOutput, OperatorCommand } from '../command.ts';
import { OperatorFailure } from '../failure.ts';
import { operatorSocketPath, withShortSocketPath } from '../socket-path.ts';
import { formatUserHeaders } from '../system-user.ts';
import { readKeyHeaders } from './operator-key.ts';
import { CommandProgress, CommandResponse, commandPath } from './protocol.ts';

/** The error codes if there is no socket, or only one that a killed server left behind. */
const absentCodes: ReadonlySet<unknown> = new Set(['ENOENT', 'ECONNREFUSED', 'ENOTDIR', 'ENOTSOCK']);

type ServerReply = { readonly isThere: false } | ({ readonly isThere: true } & CommandOutput);

export async function sendCommand(
  dataDir: string,
  { name, answerWithinMs }: Pick<OperatorCommand, 'name' | 'answerWithinMs'>,
  args: object,
  progress: (text: string) => void = () => undefined,
  by: SystemUser | undefined = undefined,
): Promise<ServerReply> {
  const path = operatorSocketPath(dataDir);
  const body = JSON.stringify({ command: name, arguments: args });
  try {
    const own = { ...readKeyHeaders(dataDir), ...(by === undefined ? {} : formatUserHeaders(by)) };
    const answer = await withShortSocketPath(path, (short) => post(short, own, body, answerWithinMs, progress));
    if (!Check(CommandResponse, answer)) throw makeVersionFailure(name);
    if ('error' in answer) throw new OperatorFailure(answer.error.code, answer.error.message);
    return { isThere: true, ...answer };
  } catch (error) {
    const code = errorCodeOf(error);
    if (error instanceof OperatorFailure) throw error;
    if (error instanceof SyntaxError) throw makeVersionFailure(name);
    if (absentCodes.has(code)) return { isThere: false };
    if (code === 'EACCES' || code === 'EPERM') {
      const message = `${path} belongs to another user. Run operator commands as the user that runs the server.`;
      throw new OperatorFailure('not_permitted', message, error);
    }
    throw new OperatorFailure(
      'outcome_unknown',
      `The running server did not complete its response (${errorMessageOf(error)}). The command may have taken effect: check before you repeat it.`,
      error,
    );
  }
}

// The response consists of any number of progress lines, followed by the result.
async function post(
  socketPath: string,
  own: Readonly<Record<string, string>>,
  body: string,
  answerWithinMs: number,
  progress: (text: string) => void,
): Promise<unknown> {
  const signal = AbortSignal.timeout(answerWithinMs);
  const headers = { ...own, 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  const sent = request({ socketPath, path: commandPath, method: 'POST', agent: false, signal, headers }).end(body);
  // A second error, after the first one or after the response, must not crash the process.
  sent.on('error', () => undefined);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  let unread = '';
  for await (const chunk of response.setEncoding('utf8')) {
    const lines = `${unread}${chunk}`.split('\n');
    unread = lines.pop() ?? '';
    for (const line of lines) {
      const said: unknown = JSON.parse(line);
      if (Check(CommandProgress, said)) progress(said.progress);
    }
  }
  return JSON.parse(unread);
}

/** The server that sent the response is older or newer than this command. */
export function makeVersionFailure(name: string): OperatorFailure {
  return new OperatorFailure(
    'another_version',
    `The response of the running server to "${name}" has a format unknown to this version. Use the operator command of the same version as the server.`,
  );
}
