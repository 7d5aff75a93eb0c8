import type { Clock } from '../../platform/clock.ts';
import type { Store } from '../../store/store.ts';
import type { RegistrationMode } from './registration-mode.ts';
import { findRegistrationMode, registrationModeChoice } from './registration-mode-queries.ts';

/**
 * Chooses who may register, on every instance from its next registration on.
 * The choice outlives the setting, which holds only until the first one.
 */
export async function chooseRegistrationMode(
  store: Store,
  clock: Clock,
  mode: RegistrationMode,
  fallback: RegistrationMode,
): Promise<{ readonly previous: RegistrationMode }> {
  return await store.transact(async (writer) => {
    const previous = await findRegistrationMode(writer, fallback);
    const chosen = { value: mode, updated_at: clock() };
    await writer
      .insertInto('platform_choices')
      .values({ name: registrationModeChoice, ...chosen })
      .onConflict((conflict) => conflict.column('name').doUpdateSet(chosen))
      .execute();
    return { previous };
  });
}
