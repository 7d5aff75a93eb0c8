import catalogue from '@agent-platform/cli-core/commands.json' with { type: 'json' };
import { type Tool, ToolFailure } from '@agent-platform/sdk/tools';

/** The facts of a catalogue command that its tool uses. */
export interface CatalogueEntry {
  readonly summary: string;
  readonly effect: string;
  readonly repeat: string;
}

const entries = new Map<string, CatalogueEntry>(catalogue.commands.map((entry) => [entry.command, entry]));

/** The entry of the catalogue of a tool. */
export function entryOf({ name, command }: Pick<Tool, 'name' | 'command'>): CatalogueEntry {
  const entry = entries.get(command);
  if (entry === undefined) throw new Error(`The tool ${name} names "${command}", which agentp does not have.`);
  return entry;
}

/** Which tools are offered. */
export interface ToolChoice {
  /** Tools or their nouns; all without it. */
  readonly names: readonly string[] | undefined;
  readonly isReadOnly: boolean;
  readonly hasFiles: boolean;
}

/**
 * Chooses the tools that a server offers.
 *
 * @throws ToolFailure `unknown_tool`: a name is neither a tool nor a noun
 */
export function selectTools(tools: readonly Tool[], { names, isReadOnly, hasFiles }: ToolChoice): readonly Tool[] {
  const nouns = [...new Set(tools.map(nounOf))];
  for (const name of names ?? []) {
    if (nouns.includes(name) || tools.some((tool) => tool.name === name)) continue;
    throw new ToolFailure(
      'unknown_tool',
      `There is no tool "${name}".`,
      `Choose tools, or all of: ${nouns.join(', ')}`,
    );
  }
  return tools.filter(
    (tool) =>
      (names === undefined || names.includes(tool.name) || names.includes(nounOf(tool))) &&
      (!isReadOnly || entryOf(tool).effect === 'read') &&
      (hasFiles || nounOf(tool) !== 'files'),
  );
}

function nounOf({ name }: Tool): string {
  return name.split('_')[0] ?? name;
}
