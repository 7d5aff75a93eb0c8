import type { RegistrationMode } from '../identity/registration/registration-mode.ts';
import { findRegistrationChoice } from '../identity/registration/registration-mode-queries.ts';
import { timestamp } from '../store/decode.ts';
import type { Store } from '../store/store.ts';
import { formatTime } from './format.ts';

/** The registration mode in force and its source. */
interface RegistrationInForce {
  readonly mode: RegistrationMode;
  readonly chosen_by: 'operator' | 'setting';
  readonly chosen_at: string | null;
  /** The default: PLATFORM_REGISTRATION_MODE. */
  readonly setting: RegistrationMode;
}

/** Reads the mode in force from the operator's choice and the setting. */
export async function readRegistration(store: Store, setting: RegistrationMode): Promise<RegistrationInForce> {
  const choice = await store.read(findRegistrationChoice);
  return choice === undefined
    ? { mode: setting, chosen_by: 'setting', chosen_at: null, setting }
    : { mode: choice.mode, chosen_by: 'operator', chosen_at: timestamp(choice.chosenAt), setting };
}

/** The modes as part of a sentence. */
export const modeLabels: Readonly<Record<RegistrationMode, string>> = {
  open: 'open',
  invitation: 'by invitation',
  closed: 'closed',
};

/** The mode in force as part of a sentence. */
export function describeRegistration({ mode, chosen_by, chosen_at, setting }: RegistrationInForce): string {
  return chosen_by === 'setting'
    ? `${modeLabels[mode]}, set by PLATFORM_REGISTRATION_MODE`
    : `${modeLabels[mode]}, chosen by the operator at ${formatTime(chosen_at)} (PLATFORM_REGISTRATION_MODE is ${setting})`;
}
