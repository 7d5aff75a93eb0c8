import { listSettings } from '../../platform/settings/settings.ts';
import { isDatabaseUnavailable } from '../../store/unavailable.ts';
import { describeTestClock, readTestClock } from '../checks/test-clock.ts';
import { defineOperatorCommand } from '../command.ts';
import { formatTable, toVisible } from '../format.ts';
import type { OperatorDependencies } from '../parts.ts';
import { describeRegistration, readRegistrationStatus } from '../registration-status.ts';

export const configCommand = defineOperatorCommand({
  name: 'config',
  summary: 'show the effective settings; secrets are hidden',
  run: async (parts) => ({
    source: parts.server === null ? 'environment of this command' : 'running server',
    settings: listSettings(parts.settings),
    // The members are null if the database does not respond.
    ...(await tryReadDatabase(parts)),
  }),
  format: ({ source, settings, registration, test_clock }) => {
    const rows = settings.map(({ variable, value, is_default, meaning }) => [
      variable,
      value === '' ? '(unset)' : toVisible(value),
      is_default ? '' : 'set',
      meaning,
    ]);
    const mode = registration === null ? 'unknown: the database does not respond' : describeRegistration(registration);
    const table = formatTable(['VARIABLE', 'VALUE', '', 'MEANING'], rows);
    const clock = test_clock === null ? [] : [`Clock: ${describeTestClock(test_clock)}.`];
    return [`Settings of the ${source}:`, '', table, '', `Registration: ${mode}.`, ...clock].join('\n');
  },
});

// An unusable database is ignored, because the settings are needed most in that case.
async function tryReadDatabase(parts: OperatorDependencies) {
  const unread = { registration: null, test_clock: null };
  try {
    const store = await parts.store.asItIs();
    if (store === undefined || (await store.schema()).pending.length > 0) return unread;
    const registration = await readRegistrationStatus(store, parts.settings.registrationMode);
    return { registration, test_clock: await readTestClock(store) };
  } catch (error) {
    if (isDatabaseUnavailable(error)) return unread;
    throw error;
  }
}
