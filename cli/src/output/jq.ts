import { exitCodes } from '../errors/exit-codes.ts';
import { CommandError, messageOf, UsageError } from '../errors/failure.ts';
import { toVisibleLine } from './visible-text.ts';

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

/** A filter, and whether the command has changed something when it is applied. */
interface Filter {
  readonly filter: string;
  readonly isRead: boolean;
}

/**
 * Applies a filter of jq to data: a line for each result, texts bare.
 *
 * @throws CommandError `jq_failed`: the work is done by then
 */
export async function applyFilter({ filter, isRead }: Filter, data: object): Promise<string> {
  try {
    const lines = await apply(filter, data);
    return lines === '' || lines.endsWith('\n') ? lines : `${lines}\n`;
  } catch (error) {
    const reason = describe(error);
    throw new CommandError(
      exitCodes.unexpected,
      'jq_failed',
      isRead
        ? `The data cannot be filtered: ${reason}`
        : `The command was carried out, but its data cannot be filtered: ${reason}`,
      `${isRead ? '' : 'Do not repeat the change. '}Fields: ${Object.keys(data).map(toVisibleLine).join(', ')}`,
    );
  }
}

// Loaded on demand: it is larger than all other modules together.
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
