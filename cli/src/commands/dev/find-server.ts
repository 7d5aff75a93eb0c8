import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { exitCodes } from '../../errors/exit-codes.ts';
import { CommandError } from '../../errors/failure.ts';
import { isErrno } from '../../profiles/files.ts';

/** The server package, where it is installed. */
interface ServerPackage {
  /** The module to import. */
  readonly entry: string;
  /** The program, which has the operator's command. */
  readonly program: string;
}

const server = '@agent-platform/server';

/**
 * Finds the server package: an optional peer of this package, resolved only here,
 * from each of these files in turn.
 *
 * @throws CommandError `server_not_installed`, `server_of_other_version`, with the line that installs it
 */
export function findServer(fromFiles: readonly string[], version: string, installLine: string): ServerPackage {
  const hint = `Run: ${installLine}`;
  for (const file of fromFiles) {
    const resolve = createRequire(file).resolve;
    try {
      const manifestFile = resolve(`${server}/package.json`);
      const manifest = JSON.parse(readFileSync(manifestFile, 'utf8'));
      if (manifest.version !== version) {
        const message = `agentp ${version} cannot start ${server} ${manifest.version}, which is in ${dirname(manifestFile)}.`;
        throw new CommandError(exitCodes.unexpected, 'server_of_other_version', message, hint);
      }
      return {
        entry: resolve(server),
        program: join(dirname(manifestFile), manifest.bin['agent-platform-server']),
      };
    } catch (error) {
      if (!isErrno(error, 'MODULE_NOT_FOUND')) throw error;
    }
  }
  const message = `agentp dev starts the package ${server}, which is not installed.`;
  throw new CommandError(exitCodes.unexpected, 'server_not_installed', message, hint);
}

/** How this program was started, for the lines that a reader copies. */
export function describeStart(env: Readonly<Record<string, string | undefined>>, version: string) {
  const isNpx = env['npm_command'] === 'exec';
  const isScript = env['npm_lifecycle_event'] === 'agentp';
  return {
    agentp: isNpx ? 'npx @agent-platform/cli' : isScript ? 'npm run -s agentp --' : 'agentp',
    installLine: isNpx
      ? `npx --package @agent-platform/cli@${version} --package ${server}@${version} agentp dev`
      : `npm install ${server}@${version}`,
  };
}
