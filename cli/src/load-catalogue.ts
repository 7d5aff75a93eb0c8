import type { CommandCatalogue } from '@agent-platform/cli-core/command';

/**
 * Loads the commands for a command line with this first word. Shells call some commands very often, so those are loaded
 * without the others.
 */
export async function loadCatalogue(word: string): Promise<CommandCatalogue> {
  if (word === 'whoami') return [(await import('./commands/whoami.ts')).whoamiCommand];
  if (word === 'completion') return [(await import('./commands/completion.ts')).completionScriptCommand];
  return (await import('./commands/catalogue.ts')).catalogue;
}
