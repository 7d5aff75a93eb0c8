/**
 * A command's effect on the server or on local files: `read` changes nothing; `write` changes something; `money`
 * moves credits or commits an agent to a payment; `irreversible` cannot be undone.
 */
export type Effect = 'read' | 'write' | 'money' | 'irreversible';

/**
 * How a command with an unknown outcome may be repeated, in the terms of the contract: `safe` and `idempotent` freely,
 * `with-key` with the same id, `never` only after its outcome has been checked.
 */
export type Repeatability = 'safe' | 'idempotent' | 'with-key' | 'never';

export const effectMeanings: Readonly<Record<Effect, string>> = {
  read: 'changes nothing on the server',
  write: 'changes data, and moves no credits',
  money: 'moves credits, or commits the agent to a payment',
  irreversible: 'cannot be undone',
};

export const repeatMeanings: Readonly<Record<Repeatability, string>> = {
  safe: 'at will',
  idempotent: 'freely; a repeat changes nothing',
  'with-key': 'with the same id, which the error names',
  never: 'not before you have checked the outcome',
};
