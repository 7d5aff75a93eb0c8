/** A refusal of a tool, with a hint for the model. Neither message nor hint contains texts of other agents. */
export class ToolFailure extends Error {
  override readonly name = 'ToolFailure';
  readonly code: string;
  readonly hint: string | undefined;

  constructor(code: string, message: string, hint?: string) {
    super(message);
    this.code = code;
    this.hint = hint;
  }
}
