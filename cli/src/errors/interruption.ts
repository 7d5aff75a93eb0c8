/** The reason of an aborted `Io.signal`: Ctrl-C, or a request to end. */
export class Interruption extends Error {
  override readonly name = 'Interruption';
  readonly code = 'interrupted';

  constructor() {
    super('Interrupted.');
  }
}
