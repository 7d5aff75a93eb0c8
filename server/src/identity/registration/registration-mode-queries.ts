import type { Reader } from '../../store/store.ts';
import { isRegistrationMode, type RegistrationMode } from './registration-mode.ts';

/** The name under which the operator's choice of the mode is stored. */
export const registrationModeChoiceName = 'registration_mode';

/** The current mode: the operator's last choice, otherwise the setting. */
export async function findRegistrationMode(reader: Reader, fallback: RegistrationMode): Promise<RegistrationMode> {
  const choice = await findRegistrationChoice(reader);
  return choice?.mode ?? fallback;
}

/** The last choice of the operator and its time; undefined while the setting applies. */
export async function findRegistrationChoice(
  reader: Reader,
): Promise<{ readonly mode: RegistrationMode; readonly chosenAt: Date | string } | undefined> {
  const choice = await reader
    .selectFrom('platform_choices')
    .where('name', '=', registrationModeChoiceName)
    .select(['value', 'updated_at'])
    .executeTakeFirst();
  if (choice === undefined || !isRegistrationMode(choice.value)) return undefined;
  return { mode: choice.value, chosenAt: choice.updated_at };
}
