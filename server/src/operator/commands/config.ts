import Type from 'typebox';
import { showSettings } from '../../platform/settings/settings.ts';
import { isUnavailable } from '../../store/unavailable.ts';
import { findPendingMigrations } from '../checks/database-checks.ts';
import { operatorCommand } from '../command.ts';
import { layOutTable, toVisible } from '../layout.ts';
import type { OperatorParts } from '../parts.ts';
import { describeRegistration, RegistrationInForce, readRegistration } from '../registration-in-force.ts';
import { Closed, nullable } from '../schemas.ts';

const ShownSetting = Closed({
  variable: Type.String(),
  value: Type.String(),
  is_default: Type.Boolean(),
  meaning: Type.String(),
});

const config = operatorCommand({
  name: 'config',
  summary: 'show the effective settings with secrets hidden',
  arguments: Closed({}),
  result: Closed({
    source: Type.Union([Type.Literal('running server'), Type.Literal('environment of this command')]),
    settings: Type.Array(ShownSetting),
    /** Null when the database cannot tell. */
    registration: nullable(RegistrationInForce),
  }),
  run: async (parts) => ({
    source: parts.server === null ? ('environment of this command' as const) : ('running server' as const),
    settings: [...showSettings(parts.settings)],
    registration: await tryReadRegistration(parts),
  }),
  show: ({ source, settings, registration }) => {
    const rows = settings.map(({ variable, value, is_default, meaning }) => [
      variable,
      value === '' ? '(unset)' : toVisible(value),
      is_default ? '' : 'set',
      meaning,
    ]);
    const mode = registration === null ? 'unknown: no database answers' : describeRegistration(registration);
    return [
      `Settings of the ${source}:`,
      '',
      layOutTable(['VARIABLE', 'VALUE', '', 'MEANING'], rows),
      '',
      `Registration: ${mode}.`,
    ].join('\n');
  },
});

// The settings are wanted most when the database is the trouble.
async function tryReadRegistration(parts: OperatorParts): Promise<RegistrationInForce | null> {
  try {
    const store = await parts.store.asItIs();
    if (store === undefined || (await findPendingMigrations(store)).length > 0) return null;
    return await readRegistration(store, parts.settings.registrationMode);
  } catch (error) {
    if (isUnavailable(error)) return null;
    throw error;
  }
}

/** What an operator does with settings. */
export const configCommands = [config];
