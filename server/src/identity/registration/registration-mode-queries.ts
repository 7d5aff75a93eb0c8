import type { Reader } from '../../store/store.ts';
import { isRegistrationMode, type RegistrationMode } from './registration-mode.ts';

export const registrationModeChoiceName = 'registration_mode';

export async function findRegistrationMode(reader: Reader, fallback: RegistrationMode): Promise<RegistrationMode> {
  const choice = await findRegistrationChoice(reader);
  return choice?.mode ?? fallback;
}

/** Returns undefined while the setting applies. */
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
