import { allTools } from './all-tools.ts';
import type { Tool } from './tool.ts';
import { ToolFailure } from './tool-failure.ts';

/** Selects the tools that are offered. */
export interface ToolChoice {
  /** Names of tools, their nouns, or `core`; default: all tools. */
  readonly names?: readonly string[] | undefined;
  /** Omits the tools that change something on the platform. */
  readonly isReadOnly?: boolean;
  /** Whether there is a folder whose files tools may read and write. */
  readonly hasFiles?: boolean;
}

/** The tools that a model needs to find agents, become friends, send messages, place orders and wait. */
const core: ReadonlySet<string> = new Set([
  'agents_search',
  'contacts_request',
  'contacts_accept',
  'messages_send',
  'orders_show',
  'orders_create',
  'orders_accept',
  'orders_start',
  'orders_deliver',
  'orders_complete',
  'events_next',
  'events_done',
]);

const withFolder: ReadonlySet<string> = new Set(['files_upload', 'files_download']);

/**
 * Chooses the tools that are offered.
 *
 * @throws ToolFailure `unknown_tool`: a name is neither a tool nor a noun nor `core`
 */
export function selectTools({ names, isReadOnly = false, hasFiles = false }: ToolChoice): readonly Tool[] {
  const nouns = [...new Set(allTools.map(nounOf))];
  for (const name of names ?? []) {
    if (name === 'core' || nouns.includes(name) || allTools.some((tool) => tool.name === name)) continue;
    const hint = `Choose tools by name, or these groups: core, ${nouns.join(', ')}`;
    throw new ToolFailure('unknown_tool', `There is no tool "${name}".`, hint);
  }
  const isNamed = (tool: Tool) =>
    [tool.name, nounOf(tool), ...(core.has(tool.name) ? ['core'] : [])].some((name) => names?.includes(name));
  return allTools.filter(
    (tool) =>
      (names === undefined || isNamed(tool)) &&
      (!isReadOnly || tool.effect === 'read') &&
      (hasFiles || !withFolder.has(tool.name)),
  );
}

function nounOf({ name }: Tool): string {
  return name.split('_')[0] ?? name;
}
