import Type from 'typebox';
import { readSettings, type Settings, SettingsError } from '../platform/settings/settings.ts';
import { type Check, fail, formatChecks, ok } from './checks/check.ts';
import { type Inspection, inspect } from './checks/database-checks.ts';
import { checkDataFolder, checkNode, checkStorage, checkVariables } from './checks/machine-checks.ts';
import { checkAbsent, checkRunning } from './checks/server-checks.ts';
import type { CommandOutput } from './command.ts';
import { toFailure } from './failure.ts';
import { runCommand } from './run-command.ts';
import type { LocalParts } from './run-locally.ts';

/** The process that `doctor` runs in. */
export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly nodeVersion: string;
  /** Undefined where the system has no user ids. */
  readonly uid: number | undefined;
}

/** The result of `doctor`. */
interface Diagnosis {
  /** True unless a check failed. */
  readonly healthy: boolean;
  readonly checks: readonly Check[];
}

/** The entry of `doctor` in the help. */
export const doctorListing = {
  name: 'doctor',
  summary: 'check this installation and suggest fixes',
  arguments: Type.Object({}),
  positional: [],
  isDefault: false,
};

/** Checks this machine, the running server if there is one, and the database. */
export async function diagnose(
  { env, nodeVersion, uid }: Surroundings,
  localParts: (settings: Settings) => LocalParts,
): Promise<CommandOutput<Diagnosis>> {
  const checks: Check[] = [checkNode(nodeVersion)];
  const settings = tryReadSettings(env, checks);
  checks.push(checkVariables(env));
  if (settings !== undefined) {
    checks.push(...checkDataFolder(settings.dataDir, uid), ...checkStorage(settings, uid));
    checks.push(...(await checkServer(settings, localParts(settings))));
  }
  const count = (state: Check['state']) => checks.filter((check) => check.state === state).length;
  const healthy = count('fail') === 0;
  const summary = `${plural(count('fail'), 'error')}, ${plural(count('warn'), 'warning')}, ${count('ok')} passed.`;
  return { result: { healthy, checks }, text: `${formatChecks(checks)}\n\n${summary}`, succeeded: healthy };
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

function tryReadSettings(env: Surroundings['env'], checks: Check[]): Settings | undefined {
  try {
    const settings = readSettings(env);
    checks.push(ok('settings', 'Every setting has a valid value.'));
    return settings;
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    for (const fault of error.faults) checks.push(fail('settings', fault, 'Correct the variable.'));
    return undefined;
  }
}

async function checkServer(settings: Settings, local: LocalParts): Promise<readonly Check[]> {
  try {
    // The result of `inspect` in this version: another one fails in `runCommand`.
    const { server, checks } = (await runCommand(inspect, {}, local)).result as Inspection;
    return [...(server === null ? await checkAbsent(settings) : await checkRunning(server)), ...checks];
  } catch (error) {
    const failure = toFailure(error);
    if (failure === undefined) throw error;
    return [fail('server', failure.message, 'If the failure persists, restart the server and inspect its log.')];
  }
}
