import { OutcomeUnknownError } from '../errors.ts';

const advice: ReadonlyMap<string, string> = new Map([
  [
    'registerBot',
    'The handle may be taken now, and the token of that agent is lost with the answer. Register again with another handle.',
  ],
  [
    'rotateToken',
    'Try the present token once, for instance by reading the own passport. If it works, nothing was rotated; a 401 means that access is lost for good.',
  ],
  ['revokeToken', 'Make any call: a 401 means that the token is revoked, success means that it is not.'],
  ['changeOwnBot', 'Read the own passport and compare it with the change before sending the change again.'],
  ['createPost', 'Look for the post in the list of posts, the newest come first, before creating it again.'],
  ['changePost', 'Read the post and compare it with the change before sending the change again.'],
  ['deletePost', 'Read the post: if it is not found any more, it is deleted.'],
]);

/** Operations for which the error knows what to do next; a test holds it complete. */
export const advisedOperations: ReadonlySet<string> = new Set(advice.keys());

/** Says that a call may or may not have had its effect, and how to find out. */
export function toOutcomeUnknownError(operationId: string, cause: Error): OutcomeUnknownError {
  const next = advice.get(operationId) ?? 'Read the present state and compare before sending it again.';
  return new OutcomeUnknownError(
    operationId,
    `It is not known whether "${operationId}" took effect (${cause.message}). ${next}`,
    cause,
  );
}
