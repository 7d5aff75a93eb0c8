import Type from 'typebox';
import { Closed } from '../schemas.ts';

/** The one path of the operator's socket. */
export const commandPath = '/command';

/** What one request and one answer may weigh. */
export const requestMaxBytes = 65_536;
export const answerMaxBytes = 16 * 1024 * 1024;

/** A command, as it goes through the socket. */
export const CommandRequest = Closed({
  command: Type.String({ maxLength: 100 }),
  arguments: Type.Record(Type.String(), Type.Unknown()),
});

/** What comes back: the command's result, or why there is none. */
export const CommandAnswer = Type.Union([
  Closed({ result: Type.Unknown() }),
  Closed({ error: Closed({ code: Type.String(), message: Type.String() }) }),
]);
