import { defineCommand } from '@agent-platform/cli-core/command';
import { UsageError } from '@agent-platform/cli-core/errors/failure';
import { completionScripts, type Shell, shells } from '@agent-platform/cli-core/program/completion-scripts';
import { Argument } from 'commander';

export const completionScriptCommand = defineCommand({
  path: ['completion'],
  effect: 'read',
  repeat: 'safe',
  operations: [],
  summary: 'print the completion script of a shell',
  examples: [
    'source <(agentp completion bash)',
    'agentp completion zsh > ~/.zfunc/_agentp',
    'agentp completion fish > ~/.config/fish/completions/agentp.fish',
  ],
  prints: 'text',
  arguments: [new Argument('<shell>', 'the shell').choices(shells)],
  parse: (args): Shell => {
    const name = args.argument(0);
    const shell = shells.find((candidate) => candidate === name);
    if (shell === undefined) throw new UsageError(`No completion script exists for "${name}".`);
    return shell;
  },
  run: async (shell) => ({ text: completionScripts[shell] }),
});
