import Type from 'typebox';
import { type RegistrationMode, registrationModes } from '../identity/registration/registration-mode.ts';
import { findRegistrationChoice } from '../identity/registration/registration-mode-queries.ts';
import { timestamp } from '../store/decode.ts';
import type { Store } from '../store/store.ts';
import { showTime } from './layout.ts';
import { Closed, nullable } from './schemas.ts';

/** Who may register, as the contract of the operator names it. */
export const Mode = Type.Enum([...registrationModes]);

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

/** The modes in a sentence. */
export const modeWords: Readonly<Record<RegistrationMode, string>> = {
  open: 'open',
  invitation: 'by invitation',
  closed: 'closed',
};

/** The same in a sentence. */
export function describeRegistration({ mode, chosen_by, chosen_at, setting }: RegistrationInForce): string {
  return chosen_by === 'setting'
    ? `${modeWords[mode]}, set by PLATFORM_REGISTRATION_MODE`
    : `${modeWords[mode]}, chosen by the operator at ${showTime(chosen_at)} (PLATFORM_REGISTRATION_MODE is ${setting})`;
}
