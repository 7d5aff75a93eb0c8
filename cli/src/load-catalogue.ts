import type { Catalogue } from '@agent-platform/cli-core/command';

/** Loads what a command line with this first word needs. Shells call some commands all day: these come without the others. */
export async function loadCatalogue(word: string): Promise<Catalogue> {
  if (word === 'whoami') return [(await import('./commands/whoami.ts')).whoami];
  if (word === 'completion') return [(await import('./commands/completion.ts')).completion];
  return (await import('./commands/catalogue.ts')).catalogue;
}
