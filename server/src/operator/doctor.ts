import { readSettings, type Settings, SettingsError } from '../platform/settings/settings.ts';
import { type Check, fail, formatChecks, ok } from './checks/check.ts';
import { type Inspection, inspect } from './checks/database-checks.ts';
import { checkDataFolder, checkNode, checkStorage, checkVariables } from './checks/machine-checks.ts';
import { checkAbsent, checkRunning } from './checks/server-checks.ts';
import type { CommandOutput } from './command.ts';
import { toFailure } from './failure.ts';
import type { OperatorProcess } from './parts.ts';
import { runCommand } from './run-command.ts';

/** The name of `hint` in version 0.1, which remains beside it in this version. */
export const formerHintName = 'cure';

/** The entry of `doctor` in the help; it takes no arguments. */
export const doctorListing = { ...inspect, name: 'doctor', summary: 'check this installation and suggest fixes' };

/** Checks this machine, the running server if there is one, and the database. Healthy unless a check failed. */
export async function diagnose(own: OperatorProcess): Promise<CommandOutput> {
  const checks: Check[] = [checkNode(own.nodeVersion)];
  const settings = tryReadSettings(own.env, checks);
  checks.push(checkVariables(own.env));
  if (settings !== undefined) {
    checks.push(...checkDataFolder(settings.dataDir, own.uid), ...checkStorage(settings, own.uid));
    checks.push(...(await checkServer(settings, own)));
  }
  const count = (state: Check['state']) => checks.filter((check) => check.state === state).length;
  const healthy = count('fail') === 0;
  const summary = `${plural(count('fail'), 'error')}, ${plural(count('warn'), 'warning')}, ${count('ok')} passed.`;
  const result = { healthy, checks: checks.map((check) => ({ ...check, [formerHintName]: check.hint })) };
  return { result, text: `${formatChecks(checks)}\n\n${summary}`, succeeded: healthy };
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

function tryReadSettings(env: OperatorProcess['env'], checks: Check[]): Settings | undefined {
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

async function checkServer(settings: Settings, own: OperatorProcess): Promise<readonly Check[]> {
  try {
    // The result of `inspect` in this version: another one fails in `runCommand`.
    const { server, checks } = (await runCommand(inspect, {}, settings, own)).result as Inspection;
    return [...(server === null ? await checkAbsent(settings) : await checkRunning(server)), ...checks];
  } catch (error) {
    const failure = toFailure(error);
    if (failure === undefined) throw error;
    return [fail('server', failure.message, 'If the failure persists, restart the server and inspect its log.')];
  }
}
