import Type from 'typebox';

export const commandPath = '/command';

/** The maximum size of a request; the ids of 100,000 agents need four million bytes. */
export const commandRequestMaxBytes = 5_000_000;

const closed = { additionalProperties: false };

export const CommandRequest = Type.Object(
  { command: Type.String({ maxLength: 100 }), arguments: Type.Record(Type.String(), Type.Unknown()) },
  closed,
);

/** A progress line that a long command sends before its result. */
export const CommandProgress = Type.Object({ progress: Type.String() }, closed);

export const CommandResponse = Type.Union([
  Type.Object({ result: Type.Unknown(), text: Type.String(), succeeded: Type.Boolean() }, closed),
  Type.Object({ error: Type.Object({ code: Type.String(), message: Type.String() }) }, closed),
]);
