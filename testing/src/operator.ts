import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { inheritedEnvironment } from './inherited-environment.ts';

const run = promisify(execFile);
const main = fileURLToPath(new URL('../../server/src/operator/main.ts', import.meta.url));

export async function runOperatorCommand(dataDir: string, ...words: readonly string[]): Promise<unknown> {
  const env = { ...inheritedEnvironment(), PLATFORM_DATA_DIR: dataDir };
  const { stdout } = await run(process.execPath, [main, ...words, '--json'], { env, timeout: 600_000 });
  return JSON.parse(stdout);
}

export async function grantCredits(dataDir: string, handle: string, amountMinor: number): Promise<void> {
  await runOperatorCommand(dataDir, 'credits', 'grant', handle, String(amountMinor));
}
