import type { Reader } from '../store/store.ts';
import { isRegistrationMode, type RegistrationMode } from './registration-mode.ts';

/** The name of the operator's choice among the stored ones. */
export const registrationModeChoice = 'registration_mode';

/** The mode in force: what the operator chose last, else the setting. */
export async function findRegistrationMode(reader: Reader, fallback: RegistrationMode): Promise<RegistrationMode> {
  const choice = await reader
    .selectFrom('platform_choices')
    .where('name', '=', registrationModeChoice)
    .select('value')
    .executeTakeFirst();
  return choice !== undefined && isRegistrationMode(choice.value) ? choice.value : fallback;
}
