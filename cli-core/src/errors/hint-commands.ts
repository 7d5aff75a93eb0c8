// A command in a hint ends before punctuation or at the end of the text.
const word = String.raw`"[^"\n]*"|'[^'\n]*'|[^\s"';,()]*[^\s"';,().:!?]`;
const commandForm = new RegExp(String.raw`\bagentp(?: (?:${word}))+`, 'g');

export function findCommandLines(hint: string): readonly string[] {
  return hint.match(commandForm) ?? [];
}

export interface HintContext {
  /** The values of placeholders, such as `ORDER`. */
  readonly values: Readonly<Record<string, string>>;
  /** The profile to act as, if it is not the current one. */
  readonly profile: string | undefined;
}

// These commands need no profile, choose one, or already name one.
const withoutProfile = /^agentp (?:register|profiles|commands|completion|dev|help|--)|--profile\b|--help$/;

/** Inserts known values and the profile into the commands of a hint, so that users can paste these commands. */
export function fillHintCommands(hint: string, { values, profile }: HintContext): string {
  return hint.replaceAll(commandForm, (line) => {
    const filled = line.replaceAll(/(?<= )[A-Z]+(?= |$)/g, (name) => values[name] ?? name);
    return profile === undefined || withoutProfile.test(filled) ? filled : `${filled} --profile ${profile}`;
  });
}

export function quoteShellWord(text: string): string {
  return /^[\w./:@-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** Whether a text may be inserted into a command: ids, handles and profile names may, tokens may not. */
export function isPlainWord(text: string): boolean {
  return /^(?!apt_)[\w-]{1,64}$/.test(text);
}
