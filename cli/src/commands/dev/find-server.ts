import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, dirname, isAbsolute, join } from 'node:path';
import { promisify } from 'node:util';
import { hasSystemErrorCode } from '@agent-platform/cli-core/credentials/files';
import { makeFolder } from '@agent-platform/cli-core/credentials/make-folder';
import { exitCodes } from '@agent-platform/cli-core/errors/exit-codes';
import { CommandError, messageOf } from '@agent-platform/cli-core/errors/failure';
import { toVisibleLines } from '@agent-platform/cli-core/output/visible-text';
import { isPublished, makeInstallLines } from '../../../../install-lines.ts';
import { formatInstallCommand } from '../install-line.ts';

interface ServerPackage {
  readonly entry: string;
  /** The server program, which contains the operator command. */
  readonly program: string;
}

const server = '@agent-platform/server';

/**
 * Finds the server package, by resolving it from each of these files in turn. It is an optional peer of this package,
 * so nothing else imports it.
 *
 * @throws CommandError `server_not_installed`, `server_of_other_version`, with the command that installs it
 */
export function findServerPackage(fromFiles: readonly string[], version: string, installLine: string): ServerPackage {
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
      if (!hasSystemErrorCode(error, 'MODULE_NOT_FOUND')) throw error;
    }
  }
  const message = `agentp dev needs the package ${server}, which is not installed.`;
  throw new CommandError(exitCodes.unexpected, 'server_not_installed', message, hint);
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Whether npx started this program, so that it can also fetch the server package if that is published. */
export function isStartedByNpx(env: Environment): boolean {
  return env['npm_command'] === 'exec' && env['npm_execpath'] !== undefined;
}

/**
 * Makes npx fetch the server into its cache, and returns a file from which the server can be resolved. npm runs in
 * `folder`, because it uses the configuration and packages of its current folder. On failure, `tell` receives
 * npm's output.
 *
 * @throws CommandError `server_not_fetched`
 */
export async function fetchServerPackage(
  env: Environment,
  version: string,
  folder: string,
  signal: AbortSignal,
  tell: (text: string) => void,
): Promise<string> {
  // The arguments of the outer npx do not apply to this call.
  const { npm_execpath: npm = '', npm_config_package: _, npm_config_call: __, ...rest } = env;
  const kept = Object.entries(rest).map(([name, value = '']) => [
    name,
    /^path$/i.test(name) ? dropLocal(value).join(delimiter) : value,
  ]);
  const options = { env: Object.fromEntries(kept), cwd: folder, signal };
  const words = ['exec', '--yes', `--prefix=${folder}`, `--package=${server}@${version}`];
  try {
    makeFolder(folder);
    // The bin folder of the packages that npx fetched comes first on PATH.
    const call = [npm, ...words, '--', 'node', '-p', 'process.env.PATH'];
    const { stdout } = await promisify(execFile)(process.execPath, call, options);
    const [programs = ''] = stdout.split(delimiter);
    return join(dirname(dirname(programs)), 'package.json');
  } catch (error) {
    if (signal.aborted) throw error;
    const printed = String(Reflect.get(Object(error), 'stderr') || messageOf(error));
    tell(toVisibleLines(printed.trim()).join('\n'));
    const message = `npm could not fetch ${server} ${version}; see the reason above.`;
    const hint = 'Make the registry reachable for npm (settings proxy and registry), then run: agentp dev';
    throw new CommandError(exitCodes.unexpected, 'server_not_fetched', message, hint);
  }
}

// Removes the bin folders of the current folder and its parents, which npm adds to PATH.
const isLocal = (folder: string) => !isAbsolute(folder) || folder.endsWith(join('node_modules', '.bin'));
const dropLocal = (path: string) => path.split(delimiter).filter((folder) => !isLocal(folder));

/** Command lines for the user to copy: they start this program or the operator command, or install the server. */
export function formatStartCommands(env: Environment, version: string, file: string, published = isPublished) {
  const isNpx = published && isStartedByNpx(env);
  const isScript = env['npm_lifecycle_event'] === 'agentp';
  return {
    agentp: isNpx ? makeInstallLines('cli', true).run : isScript ? makeInstallLines('cli', false).run : 'agentp',
    operator: isNpx
      ? `${makeInstallLines('server', true).run} operator`
      : isScript
        ? 'npm run -s operator --'
        : 'agent-platform-server operator',
    installLine: isNpx
      ? `npx --package @agent-platform/cli@${version} --package ${server}@${version} agentp dev`
      : formatInstallCommand(file, 'server', version, published),
  };
}
