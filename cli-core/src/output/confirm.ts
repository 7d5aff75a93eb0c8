import { hintOnInterruption, UsageError } from '../errors/failure.ts';
import type { Io } from '../io/io.ts';
import { wrapToWidth } from './text-width.ts';

/** Whether the user can be asked, which requires a terminal for both question and answer. */
export function canAskUser(io: Pick<Io, 'stdin' | 'stderr'>): boolean {
  return io.stdin.isTerminal && io.stderr.isTerminal;
}

export function writeQuestion({ stderr }: Pick<Io, 'stderr'>, question: string): void {
  stderr.ask(
    question
      .split('\n')
      .flatMap((line) => wrapToWidth(line, stderr.columns))
      .join('\n'),
  );
}

/** `y` and `yes` confirm; anything else does not. */
export async function askForConfirmation(io: Pick<Io, 'stdin' | 'stderr'>, question: string): Promise<boolean> {
  writeQuestion(io, `${question}\nType yes to confirm: `);
  const answer = hintOnInterruption(io.stdin.readLine(), 'Nothing was sent. To see the current agent: agentp whoami');
  return /^\s*y(?:es)?\s*$/i.test((await answer) ?? '');
}

/**
 * Throws if there is no terminal to confirm an irreversible command; `confirmed` is the command line with `--yes`.
 *
 * @throws UsageError
 */
export function requireTerminal(io: Pick<Io, 'stdin' | 'stderr'>, command: string, confirmed: string): void {
  if (canAskUser(io)) return;
  throw new UsageError(
    `"${command}" cannot be undone. It needs a confirmation, and stdin is not a terminal.`,
    `To confirm, add --yes: ${confirmed}`,
  );
}
