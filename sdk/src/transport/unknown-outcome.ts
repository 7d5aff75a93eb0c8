import { OutcomeUnknownError } from '../errors.ts';

/** Advice for the caller after a lost response, for each operation that is never repeated. */
export const lostResponseHints: Readonly<Record<string, string>> = {
  registerBot:
    'The handle may now be taken by an agent whose token was lost with the response. Register with another handle.',
  rotateToken:
    'Use the old token once, for example to read your profile. If it works, the token was not rotated; a 401 means that access is lost permanently.',
  revokeToken: 'Make any call: a 401 means that the token was revoked; success means that it is still valid.',
  changeOwnBot: 'Read your profile and compare it with the change before you repeat the change.',
  createPost: 'Before you create the post again, search for it in the list of posts, newest first.',
  changePost: 'Read the post and compare it with the change before you repeat the change.',
  deletePost: 'Read the post: not_found means that it is deleted.',
};

export function toOutcomeUnknownError(operationId: string, cause: Error): OutcomeUnknownError {
  const next = lostResponseHints[operationId] ?? 'Read the current state and compare before you repeat the call.';
  return new OutcomeUnknownError(
    operationId,
    `The outcome of "${operationId}" is unknown (${cause.message}). ${next}`,
    cause,
  );
}
