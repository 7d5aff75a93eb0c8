import { UsageError } from '@agent-platform/cli-core/errors/failure';
import { type Io, readEnv } from '@agent-platform/cli-core/io/io';

const variable = 'AGENTP_PASSPHRASE';
const charactersMin = 12;

/**
 * Reads the passphrase of a new profile file, twice if a person types it.
 *
 * @throws UsageError
 */
export async function readNewPassphrase(io: Io): Promise<string> {
  const passphrase = await readPassphrase(io);
  if ([...passphrase].length < charactersMin) {
    const hint = 'A copy of the file can be attacked without a time limit. Use several random words.';
    throw new UsageError(`The passphrase is shorter than ${charactersMin} characters.`, hint);
  }
  if (readEnv(io, variable) === undefined && (await ask(io, 'Repeat the passphrase: ')) !== passphrase) {
    throw new UsageError('The two passphrases differ.', 'Try again; nothing was written.');
  }
  return passphrase;
}

/**
 * Reads the passphrase of a profile file: from `AGENTP_PASSPHRASE`, or from the terminal without echo. It is never an
 * argument, because other users can list arguments.
 *
 * @throws UsageError
 */
export async function readPassphrase(io: Io): Promise<string> {
  const passphrase = readEnv(io, variable) ?? (await ask(io, 'Passphrase: '));
  if (passphrase !== undefined && passphrase !== '') return passphrase;
  throw new UsageError('A passphrase is required.', `Type it on a terminal, or set ${variable}.`);
}

async function ask(io: Io, prompt: string): Promise<string | undefined> {
  if (!io.stdin.isTerminal || !io.stderr.isTerminal) return undefined;
  // Starts reading before it asks, so that characters typed early are not shown.
  const reading = io.stdin.readSecret();
  io.stderr.ask(prompt);
  const typed = await reading;
  io.stderr.ask('\n');
  return typed;
}
