import { exitCodes } from '../errors/exit-codes.ts';
import { CommandError, messageOf, UsageError } from '../errors/failure.ts';

/**
 * Checks that a filter of jq compiles. This happens before the work: afterwards a misspelled filter would suggest that
 * the work was not done.
 *
 * @throws UsageError
 */
export async function checkFilter(filter: string): Promise<void> {
  try {
    // Compiled and never run; a comment at its end stays on its own line.
    await apply(`empty | (${filter}\n)`, {});
  } catch (error) {
    throw new UsageError(`--jq "${filter}" does not compile: ${describe(error)}`, 'For example: --jq .id');
  }
}

/**
 * Applies a filter of jq to data: a line for each result, texts bare.
 *
 * @throws CommandError `jq_failed`: the work is done by then
 */
export async function applyFilter(filter: string, data: object): Promise<string> {
  try {
    const lines = await apply(filter, data);
    return lines === '' || lines.endsWith('\n') ? lines : `${lines}\n`;
  } catch (error) {
    throw new CommandError(
      exitCodes.unexpected,
      'jq_failed',
      `The command was carried out, but its data cannot be filtered: ${describe(error)}`,
      'Do not repeat a change; see agentp help for --json, which prints the data.',
    );
  }
}

// Loaded on demand: it is larger than everything else together.
async function apply(filter: string, data: object): Promise<string> {
  const { raw } = await import('jq-wasm');
  return await raw(data, filter, ['-r', '-c']);
}

function describe(error: unknown): string {
  const [line = ''] = messageOf(error)
    .replace(/^Failed to execute raw query: /, '')
    .split('\n');
  return line.replace(/^jq: error(?: \(at [^)]*\))?:? /, '').replace(/, line \d+:$/, '');
}
