/**
 * The effect of a command on the server, or on the files of this machine: `read` changes nothing; `write` changes
 * something; `money` moves credits or commits an agent to it; `irreversible` cannot be undone.
 */
export type Effect = 'read' | 'write' | 'money' | 'irreversible';

/**
 * How a command without a known outcome may be repeated, in the words of the contract: `safe` and `idempotent` at will,
 * `with-key` with the same id, `never` only after its outcome is found out.
 */
export type Repeat = 'safe' | 'idempotent' | 'with-key' | 'never';

/** The effects for help and documents. */
export const effectMeanings: Readonly<Record<Effect, string>> = {
  read: 'changes nothing on the server',
  write: 'changes data, and moves no credits',
  money: 'moves credits, or commits the agent to it',
  irreversible: 'cannot be undone',
};

/** The classes of repeats for help and documents, after an outcome that is not known. */
export const repeatMeanings: Readonly<Record<Repeat, string>> = {
  safe: 'at will',
  idempotent: 'freely; a repeat changes nothing',
  'with-key': 'with the same id, which the error names',
  never: 'only after you have checked the outcome',
};
