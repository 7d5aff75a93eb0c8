import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import type { AgentPlatform } from '@agent-platform/sdk';
import { exitCodes } from '../../errors/exit-codes.ts';
import { CommandError } from '../../errors/failure.ts';
import { installLineBeside } from '../../errors/install-line.ts';
import { isErrno } from '../../profiles/files.ts';

const name = '@agent-platform/mcp';

/** What `agentp mcp` needs of the MCP package, whose own types are checked against it. */
export interface McpPackage {
  serveAgent(agent: McpAgent, options: McpOptions): Promise<void>;
}

/** The agent that an MCP server acts as. */
interface McpAgent {
  readonly platform: AgentPlatform;
  readonly id: string;
  readonly handle: string;
  readonly profile: string;
  readonly stateFolder: string;
}

/** The options of `agentp mcp`. */
export interface McpOptions {
  readonly tools: readonly string[] | undefined;
  readonly isReadOnly: boolean;
  readonly allow: readonly string[];
  readonly spendLimitMinor: number;
  readonly filesFolder: string | undefined;
  readonly httpPort: number | undefined;
  readonly signal: AbortSignal;
  readonly report: (line: string) => void;
}

/**
 * Loads the MCP package: an optional peer of this package, resolved only here, from each of these files in turn.
 *
 * @throws CommandError `mcp_not_installed`, with the line that installs it
 */
export async function loadMcp(fromFiles: readonly string[], version: string): Promise<McpPackage> {
  for (const file of fromFiles) {
    try {
      return await import(pathToFileURL(createRequire(file).resolve(name)).href);
    } catch (error) {
      if (!isErrno(error, 'MODULE_NOT_FOUND')) throw error;
    }
  }
  const message = `agentp mcp uses the package ${name}, which is not installed.`;
  const hint = `Run: ${installLineBeside(fromFiles[0] ?? '', `${name}@${version}`)}; or start npx ${name}@${version} instead.`;
  throw new CommandError(exitCodes.unexpected, 'mcp_not_installed', message, hint);
}
