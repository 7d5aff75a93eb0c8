/** The suite could not begin; the message says why. */
export class CannotRun extends Error {
  override readonly name = 'CannotRun';
}
