import { Argument } from 'commander';
import { completionScripts, type Shell, shells } from '../completion/scripts.ts';
import { UsageError } from '../errors/failure.ts';
import { verb } from './command.ts';

/** Prints the script that teaches a shell to complete `agentp`. */
export const completion = verb({
  path: ['completion'],
  summary: 'print the script that teaches a shell to complete agentp',
  examples: [
    'source <(agentp completion bash)',
    'agentp completion zsh > ~/.zfunc/_agentp',
    'agentp completion fish > ~/.config/fish/completions/agentp.fish',
  ],
  arguments: [new Argument('<shell>', 'which shell').choices(shells)],
  parse: (typed) => {
    const name = typed.argument(0);
    const shell = shells.find((candidate) => candidate === name);
    if (shell === undefined) throw new UsageError(`There is no script for "${name}".`);
    return { shell };
  },
  run: async ({ shell }: { readonly shell: Shell }) => ({ kind: 'text', text: completionScripts[shell] }),
});
