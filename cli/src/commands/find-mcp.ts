import { realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { hasSystemErrorCode } from '@agent-platform/cli-core/credentials/files';
import { exitCodes } from '@agent-platform/cli-core/errors/exit-codes';
import { CommandError } from '@agent-platform/cli-core/errors/failure';
import { type McpPackage, makeMcpCommand } from '@agent-platform/cli-core/mcp-command';
import { version } from '@agent-platform/cli-core/version';
import { isPublished, makeInstallLines } from '../../../install-lines.ts';
import { formatInstallCommand } from './install-line.ts';

const name = '@agent-platform/mcp';

/**
 * Loads the MCP package, by resolving it from each of these files in turn. It is an optional peer of this package, so
 * nothing else imports it.
 *
 * @throws CommandError `mcp_not_installed`, with the command that installs it
 */
export async function loadMcp(fromFiles: readonly string[], version: string): Promise<McpPackage> {
  for (const file of fromFiles) {
    try {
      return await import(pathToFileURL(createRequire(file).resolve(name)).href);
    } catch (error) {
      if (!hasSystemErrorCode(error, 'MODULE_NOT_FOUND')) throw error;
    }
  }
  const message = `agentp mcp uses the package ${name}, which is not installed.`;
  const { run } = makeInstallLines('mcp', isPublished, version);
  const hint = `Run: ${formatInstallCommand(fromFiles[0] ?? '', 'mcp', version)}; or start ${run} instead.`;
  throw new CommandError(exitCodes.unexpected, 'mcp_not_installed', message, hint);
}

export const installedMcpCommand = makeMcpCommand(() => loadMcp(programFiles(), version));

/** Where the MCP package is looked up: next to this package, and next to the started program. */
function programFiles(): readonly string[] {
  const started = process.argv[1];
  return [fileURLToPath(import.meta.url), ...(started === undefined ? [] : [realpathSync(started)])];
}
