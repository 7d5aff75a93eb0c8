// In a hint a command ends at punctuation or at the end of the text; the words before belong to the command.
const word = String.raw`"[^"\n]*"|'[^'\n]*'|[^\s"';,()]*[^\s"';,().:!?]`;
const commandForm = new RegExp(String.raw`\bagentp(?: (?:${word}))+`, 'g');

/** The command lines in a hint. */
export function commandsIn(hint: string): readonly string[] {
  return hint.match(commandForm) ?? [];
}

/** Values known to the failed command that complete its hints. */
export interface HintContext {
  /** The values of placeholders, such as `ORDER`. */
  readonly values: Readonly<Record<string, string>>;
  /** The profile to act as, where it is not the current one. */
  readonly profile: string | undefined;
}

// They act as no agent, or choose one.
const withoutProfile = /^agentp (?:register|profiles|commands|completion|dev|help|--)|--profile\b|--help$/;

/** Completes the commands of a hint with known values and the profile, so that they can be pasted. */
export function completeCommands(hint: string, { values, profile }: HintContext): string {
  return hint.replaceAll(commandForm, (line) => {
    const filled = line.replaceAll(/(?<= )[A-Z]+(?= |$)/g, (name) => values[name] ?? name);
    return profile === undefined || withoutProfile.test(filled) ? filled : `${filled} --profile ${profile}`;
  });
}

/** A text as one word of a shell. */
export function shellWord(text: string): string {
  return /^[\w./:@-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** Whether a text that was given may stand in a command: ids, handles and names of profiles, and no token. */
export function isPlainWord(text: string): boolean {
  return /^(?!apt_)[\w-]{1,64}$/.test(text);
}
