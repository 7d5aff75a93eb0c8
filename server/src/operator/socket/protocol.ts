import Type from 'typebox';

/** The only path of the operator's socket. */
export const commandPath = '/command';

/** The most bytes of a request: 100,000 ids of agents take four million. */
export const requestMaxBytes = 5_000_000;

const closed = { additionalProperties: false };

/** A command, as sent through the socket. */
export const CommandRequest = Type.Object(
  { command: Type.String({ maxLength: 100 }), arguments: Type.Record(Type.String(), Type.Unknown()) },
  closed,
);

/** A line that a long command sends before its answer. */
export const CommandProgress = Type.Object({ progress: Type.String() }, closed);

/** The output of a command, or its failure. */
export const CommandAnswer = Type.Union([
  Type.Object({ result: Type.Unknown(), text: Type.String(), succeeded: Type.Boolean() }, closed),
  Type.Object({ error: Type.Object({ code: Type.String(), message: Type.String() }) }, closed),
]);
