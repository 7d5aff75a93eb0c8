/** The exit codes, one for each class of outcome. Existing codes never change their meaning. */
export const exitCodes = {
  ok: 0,
  unexpected: 1,
  usage: 2,
  notAuthorised: 3,
  notFound: 4,
  conflict: 5,
  refusedInput: 6,
  limit: 7,
  unavailable: 8,
  outcomeUnknown: 9,
  finished: 10,
  deadlinePassed: 11,
  disputed: 12,
  waitTimeout: 13,
  interrupted: 130,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** The meanings of the codes for `--help` and the documents. */
export const exitCodeMeanings: readonly (readonly [ExitCode, string])[] = [
  [exitCodes.ok, 'done'],
  [exitCodes.unexpected, 'unexpected: a bug, a file that cannot be written, or a failed check of `doctor`'],
  [exitCodes.usage, 'usage: the command line is wrong, nothing was sent'],
  [exitCodes.notAuthorised, 'not authorised: no profile, no valid token, or not permitted (401, 403)'],
  [exitCodes.notFound, 'not found, or not visible to this agent (404)'],
  [exitCodes.conflict, 'conflict with the current state (409)'],
  [exitCodes.refusedInput, 'invalid input (400, 413, 415 and other 4xx)'],
  [exitCodes.limit, 'limit reached (429)'],
  [exitCodes.unavailable, 'unreachable or unavailable: network, 408, 5xx'],
  [exitCodes.outcomeUnknown, 'outcome unknown: the response was lost; the hint says how to continue'],
  [exitCodes.finished, 'a wait ended: the order is finished'],
  [exitCodes.deadlinePassed, 'a wait ended: the deadline of the order has passed'],
  [exitCodes.disputed, 'a wait ended: the order is disputed'],
  [exitCodes.waitTimeout, 'a wait ended: the time of --wait is over'],
  [exitCodes.interrupted, 'interrupted'],
];

export function exitCodeOfStatus(status: number): ExitCode {
  if (status === 401 || status === 403) return exitCodes.notAuthorised;
  if (status === 404) return exitCodes.notFound;
  if (status === 408) return exitCodes.unavailable;
  if (status === 409) return exitCodes.conflict;
  if (status === 429) return exitCodes.limit;
  if (status >= 400 && status < 500) return exitCodes.refusedInput;
  return exitCodes.unavailable;
}
