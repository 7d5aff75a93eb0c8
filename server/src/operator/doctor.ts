import { listSettings, readSettings, type Settings, SettingsError } from '../platform/settings/settings.ts';
import { type Check, fail, formatChecks, ok, warn } from './checks/check.ts';
import { checkMachine, type Inspection, inspect } from './checks/inspect-command.ts';
import { checkNode, checkVariables } from './checks/machine-checks.ts';
import { checkRunningServer, checkStartable } from './checks/server-checks.ts';
import type { CommandOutput } from './command.ts';
import { toFailure } from './failure.ts';
import type { OperatorProcess } from './parts.ts';
import { runCommand } from './run-command.ts';
import { makeVersionFailure } from './socket/send-command.ts';

/** The help entry of `doctor`, which takes no arguments. */
export const doctorListing = { ...inspect, name: 'doctor', summary: 'check this installation and suggest fixes' };

/** Checks the running server, or else this machine, and the database. Succeeds unless a check failed. */
export async function diagnose(own: OperatorProcess): Promise<CommandOutput> {
  const checks: Check[] = [];
  const settings = tryReadSettings(own.env, checks);
  if (settings === undefined) checks.push(checkNode(own.nodeVersion), checkVariables(own.env));
  else checks.push(...(await checkInstallation(settings, own)));
  const count = (state: Check['state']) => checks.filter((check) => check.state === state).length;
  const healthy = count('fail') === 0;
  const summary = `${plural(count('fail'), 'error')}, ${plural(count('warn'), 'warning')}, ${count('ok')} passed.`;
  const result = { healthy, checks };
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

async function checkInstallation(settings: Settings, own: OperatorProcess): Promise<readonly Check[]> {
  try {
    const { server, machine, checks, ...inspection } = (await runCommand(inspect, {}, settings, own))
      .result as Inspection;
    // Version 0.1.0 of the server does not check its machine.
    if (machine === undefined) throw makeVersionFailure(inspect.name);
    if (server === null) return [...machine, ...(await checkStartable(settings)), ...checks];
    return [
      compareSettings(settings, inspection.settings),
      ...machine,
      ...(await checkRunningServer(server)),
      ...checks,
    ];
  } catch (error) {
    const failure = toFailure(error);
    if (failure === undefined) throw error;
    const hint = 'If the failure persists, restart the server and inspect its log.';
    return [...checkMachine({ settings, process: own }), fail('server', failure.message, hint)];
  }
}

// This check is only needed with a running server, in whose environment the other checks ran.
function compareSettings(own: Settings, inForce: Inspection['settings']): Check {
  const here = new Map(listSettings(own).map(({ variable, value }) => [variable, value]));
  const differing = inForce.filter(({ variable, value }) => here.get(variable) !== value);
  if (differing.length === 0) return ok('environment', 'This environment has the settings of the running server.');
  const list = differing.map(({ variable, value }) => `${variable} (${value || 'unset'} there)`).join(', ');
  const hint =
    'Run operator commands with the environment of the server. When no server runs, commands use their own environment.';
  return warn('environment', `The settings of the running server differ: ${list}.`, hint);
}
