import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

const timesBareMax = 3;
const rounds = 5;
const attempts = 4;

/**
 * Compares a program's start-up time with that of `node -e 0`. Other work on the machine can only add time, so the
 * shortest of several rounds counts, and a slow result causes more rounds.
 */
export async function findSlowStarts(
  program: string,
  commandLines: readonly string[],
  options: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
): Promise<readonly string[]> {
  const shortestMs = new Map<string, number>();
  const measure = async (name: string, file: string, args: readonly string[]) => {
    const startedAt = performance.now();
    await run(file, args, options);
    shortestMs.set(name, Math.min(shortestMs.get(name) ?? Number.POSITIVE_INFINITY, performance.now() - startedAt));
  };
  const findSlow = () =>
    commandLines.flatMap((line) => {
      const times = (shortestMs.get(line) ?? 0) / (shortestMs.get('node -e 0') ?? 1);
      return times <= timesBareMax ? [] : [`${program} ${line} takes ${times.toFixed(1)} times node -e 0`];
    });
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    for (let round = 0; round < rounds; round += 1) {
      await measure('node -e 0', process.execPath, ['-e', '0']);
      for (const line of commandLines) await measure(line, program, line.split(' '));
    }
    if (findSlow().length === 0) return [];
  }
  return findSlow();
}
