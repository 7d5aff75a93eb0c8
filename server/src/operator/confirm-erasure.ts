import { Refusal } from '../platform/refusal.ts';
import type { Settings } from '../platform/settings/settings.ts';
import type { OperatorCommand } from './command.ts';
import { toVisible } from './format.ts';
import type { OperatorProcess } from './parts.ts';
import { runCommand } from './run-command.ts';

/** Shows the data that an erasure would remove, and asks for the agent's handle. Returns the confirmed arguments. */
export async function confirmErasure(
  command: OperatorCommand,
  args: Readonly<Record<string, unknown>>,
  settings: Settings,
  own: OperatorProcess,
) {
  if (own.ask === undefined) {
    throw new Refusal('invalid_input', 'An erasure cannot be undone. Confirm it with --yes, or run it at a terminal.');
  }
  const { result, text } = await runCommand(command, { agent: args['agent'], dryRun: true }, settings, own);
  const { handle } = (result as { readonly agent: { readonly handle: string } }).agent;
  own.err(`${text}\n\n`);
  const typed = await own.ask(`It cannot be undone. Type the handle ${toVisible(handle)} to erase the agent: `);
  if (typed.trim() !== handle) throw new Refusal('invalid_input', 'The handle does not match. Nothing was erased.');
  return { ...args, yes: true };
}
