import type { RegistrationMode } from '../identity/registration/registration-mode.ts';
import { findRegistrationChoice } from '../identity/registration/registration-mode-queries.ts';
import { formatTimestampOrNull } from '../store/decode.ts';
import type { Store } from '../store/store.ts';
import { formatTime } from './format.ts';

export async function readRegistrationStatus(store: Store, setting: RegistrationMode) {
  const choice = await store.read(findRegistrationChoice);
  return {
    mode: choice?.mode ?? setting,
    chosen_by: choice === undefined ? 'setting' : 'operator',
    chosen_at: formatTimestampOrNull(choice?.chosenAt ?? null),
    setting,
  };
}

type RegistrationStatus = Awaited<ReturnType<typeof readRegistrationStatus>>;

export const registrationModeLabels: Readonly<Record<RegistrationMode, string>> = {
  open: 'open',
  invitation: 'by invitation',
  closed: 'closed',
};

export function describeRegistration({ mode, chosen_by, chosen_at, setting }: RegistrationStatus): string {
  return chosen_by === 'setting'
    ? `${registrationModeLabels[mode]}, set by PLATFORM_REGISTRATION_MODE`
    : `${registrationModeLabels[mode]}, chosen by the operator at ${formatTime(chosen_at)} (PLATFORM_REGISTRATION_MODE is ${setting})`;
}
