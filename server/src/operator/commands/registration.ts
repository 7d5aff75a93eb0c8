import Type from 'typebox';
import { type RegistrationMode, registrationModes } from '../../identity/registration/registration-mode.ts';
import { chooseRegistrationMode } from '../../identity/registration/registration-mode-commands.ts';
import { findRegistrationChoice } from '../../identity/registration/registration-mode-queries.ts';
import { timestamp } from '../../store/decode.ts';
import type { Store } from '../../store/store.ts';
import { operatorCommand } from '../command.ts';
import { showTime } from '../layout.ts';
import { Closed, nullable } from '../schemas.ts';

const Mode = Type.Enum([...registrationModes]);

/** Who may register now, and why. */
export const RegistrationInForce = Closed({
  mode: Mode,
  chosen_by: Type.Union([Type.Literal('operator'), Type.Literal('setting')]),
  chosen_at: nullable(Type.String()),
  /** What holds without a choice: PLATFORM_REGISTRATION_MODE. */
  setting: Mode,
});
export type RegistrationInForce = Type.Static<typeof RegistrationInForce>;

/** Reads the mode in force from the operator's choice and the setting. */
export async function readRegistration(store: Store, setting: RegistrationMode): Promise<RegistrationInForce> {
  const choice = await store.read(findRegistrationChoice);
  return choice === undefined
    ? { mode: setting, chosen_by: 'setting', chosen_at: null, setting }
    : { mode: choice.mode, chosen_by: 'operator', chosen_at: timestamp(choice.chosenAt), setting };
}

const words: Readonly<Record<RegistrationMode, string>> = {
  open: 'open',
  invitation: 'by invitation',
  closed: 'closed',
};

/** The same in a sentence. */
export function describeRegistration({ mode, chosen_by, chosen_at, setting }: RegistrationInForce): string {
  return chosen_by === 'setting'
    ? `${words[mode]}, as PLATFORM_REGISTRATION_MODE says`
    : `${words[mode]}, chosen by the operator at ${showTime(chosen_at)} (PLATFORM_REGISTRATION_MODE says ${setting})`;
}

const meanings: Readonly<Record<RegistrationMode, string>> = {
  open: 'let everybody register',
  invitation: 'let only holders of an invitation register',
  closed: 'let nobody register',
};

const showing = operatorCommand({
  name: 'registration show',
  summary: 'tell who may register now, and why',
  isDefault: true,
  arguments: Closed({}),
  result: RegistrationInForce,
  run: async (parts) => await readRegistration(await parts.store.upToDate(), parts.settings.registrationMode),
  show: (registration) => `Registration is ${describeRegistration(registration)}.`,
});

const choosing = registrationModes.map((mode) =>
  operatorCommand({
    name: `registration ${mode}`,
    summary: `${meanings[mode]}, at once and on every instance`,
    arguments: Closed({}),
    result: Closed({ mode: Mode, previous: Mode, changed: Type.Boolean() }),
    run: async (parts) => {
      const store = await parts.store.upToDate();
      const { previous } = await chooseRegistrationMode(store, parts.clock, mode, parts.settings.registrationMode);
      return { mode, previous, changed: previous !== mode };
    },
    audit: (_, { previous, changed }) => ({ mode, previous, changed }),
    show: ({ previous, changed }) =>
      changed
        ? `Registration is ${words[mode]} from now on; it was ${words[previous]}.`
        : `Registration was ${words[mode]} already.`,
  }),
);

/** What an operator does with registration. */
export const registrationCommands = [showing, ...choosing];
