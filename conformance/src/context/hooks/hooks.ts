import { type RunWorld, requestOnce } from '../../world/world.ts';
import { isUuid, SkippedError } from '../expectations.ts';
import type { HookCall } from '../journal.ts';
import type { Redaction } from '../redaction.ts';
import { type HookOutcome, runHook } from './run-hook.ts';

/** The operator's commands for actions that the API does not offer. */
export interface HookCommands {
  readonly grant: string | undefined;
  readonly invitation: string | undefined;
  readonly clock: string | undefined;
  readonly suspend: string | undefined;
  readonly seconds: number;
}

/** The commands of a run without hooks. */
export const noHooks: HookCommands = {
  grant: undefined,
  invitation: undefined,
  clock: undefined,
  suspend: undefined,
  seconds: 30,
};

/** The actions that the operator of the tested server performs for the suite. */
export type Hooks = ReturnType<typeof makeHooks>;

const codeForm = /^[\x21-\x7e]{1,256}$/;

/** Makes the hooks of a run. A failing hook is not the server's fault. Each successful call is recorded. */
export function makeHooks(
  commands: HookCommands,
  invitation: string | undefined,
  redaction: Redaction,
  world: RunWorld,
  note: (call: HookCall) => void = () => undefined,
) {
  const run = async (option: string, command: string | undefined, values: Readonly<Record<string, string>>) => {
    if (command === undefined) throw new SkippedError(`no ${option} was given`);
    const outcome = await requestOnce<HookOutcome>(world, 'program', { option, values }, async () => {
      const ended = await runHook(command, values, commands.seconds * 1_000);
      // The output of the other programs is not needed and may be private.
      return ended.did === 'work' && option !== '--invitation-command' ? { did: 'work', text: '' } : ended;
    });
    if (outcome.did === 'work') return outcome.text;
    throw new SkippedError(`the program of ${option} ${redaction.apply(outcome.why)}`);
  };
  return {
    /** The caller checks that the wallet contains the credits. */
    grant: async (botId: string, amountMinor: number): Promise<void> => {
      // The id comes from the server under test, so it is not passed to a program unless it is a UUID.
      if (!isUuid(botId)) throw new SkippedError('the id of the agent is not a UUID, so nothing can be granted to it');
      if (!Number.isSafeInteger(amountMinor) || amountMinor < 1)
        throw new RangeError(`${amountMinor} is not an amount of credits`);
      await run('--grant-command', commands.grant, { bot_id: botId, amount_minor: String(amountMinor) });
      note({ kind: 'grant', botId, amount: amountMinor });
    },
    /** Returns an invitation code; undefined if the run has neither a code nor a command for one. */
    invitation: async (): Promise<string | undefined> => {
      if (commands.invitation === undefined) return invitation;
      const code = (await run('--invitation-command', commands.invitation, {})).trim();
      if (!codeForm.test(code))
        throw new SkippedError('the program of --invitation-command did not print exactly one code');
      redaction.hide(code);
      return code;
    },
    suspend: async (botId: string): Promise<void> => {
      if (!isUuid(botId)) throw new SkippedError('the id of the agent is not a UUID, so it cannot be suspended');
      await run('--suspend-command', commands.suspend, { bot_id: botId });
      note({ kind: 'suspend', botId, amount: 0 });
    },
    moveClock: async (seconds: number): Promise<void> => {
      if (!Number.isSafeInteger(seconds) || seconds < 1) throw new RangeError(`${seconds} is not a duration`);
      await run('--clock-command', commands.clock, { seconds: String(seconds) });
      note({ kind: 'clock', botId: '', amount: seconds });
    },
  };
}
