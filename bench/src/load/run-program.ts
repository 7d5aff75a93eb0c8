import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const execute = promisify(execFile);
const timeoutMs = 900_000;

/** Where the programs lie that know the server's statements. */
export function programPath(name: string): string {
  return fileURLToPath(import.meta.resolve(`../../../server/testing/load/${name}`));
}

/** Runs one of these programs to its end and returns what it printed. */
export async function runProgram(name: string, ...args: readonly (string | number)[]): Promise<string> {
  const { stdout } = await execute(process.execPath, [programPath(name), ...args.map(String)], { timeout: timeoutMs });
  return stdout;
}
