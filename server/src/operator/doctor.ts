import { listSettings, readSettings, type Settings, SettingsError } from '../platform/settings/settings.ts';
import { type DoctorCheck, formatChecks, makeFailedCheck, makePassedCheck, makeWarningCheck } from './checks/check.ts';
import { checkMachine, type InspectResult, inspectCommand } from './checks/inspect-command.ts';
import { checkNode, checkVariables } from './checks/machine-checks.ts';
import { checkRunningServer, checkStartConditions } from './checks/server-checks.ts';
import type { CommandOutput } from './command.ts';
import { toOperatorFailure } from './failure.ts';
import type { OperatorProcess } from './parts.ts';
import { runCommand } from './run-command.ts';
import { makeVersionFailure } from './socket/send-command.ts';

export const doctorHelpEntry = {
  ...inspectCommand,
  name: 'doctor',
  summary: 'check this installation and suggest fixes',
};

/** Checks the running server, or this machine if none runs, and the database. Succeeds unless a check failed. */
export async function runDoctor(own: OperatorProcess): Promise<CommandOutput> {
  const checks: DoctorCheck[] = [];
  const settings = tryReadSettings(own.env, checks);
  if (settings === undefined) checks.push(checkNode(own.nodeVersion), checkVariables(own.env));
  else checks.push(...(await checkInstallation(settings, own)));
  const count = (state: DoctorCheck['state']) => checks.filter((check) => check.state === state).length;
  const healthy = count('fail') === 0;
  const summary = `${plural(count('fail'), 'error')}, ${plural(count('warn'), 'warning')}, ${count('ok')} passed.`;
  const result = { healthy, checks };
  return { result, text: `${formatChecks(checks)}\n\n${summary}`, succeeded: healthy };
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

function tryReadSettings(env: OperatorProcess['env'], checks: DoctorCheck[]): Settings | undefined {
  try {
    const settings = readSettings(env);
    checks.push(makePassedCheck('settings', 'Every setting has a valid value.'));
    return settings;
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    for (const fault of error.faults) checks.push(makeFailedCheck('settings', fault, 'Correct the variable.'));
    return undefined;
  }
}

async function checkInstallation(settings: Settings, own: OperatorProcess): Promise<readonly DoctorCheck[]> {
  try {
    const { server, machine, checks, ...inspection } = (await runCommand(inspectCommand, {}, settings, own))
      .result as InspectResult;
    // Version 0.1.0 of the server does not check its machine.
    if (machine === undefined) throw makeVersionFailure(inspectCommand.name);
    if (server === null) return [...machine, ...(await checkStartConditions(settings)), ...checks];
    return [
      compareSettings(settings, inspection.settings),
      ...machine,
      ...(await checkRunningServer(server)),
      ...checks,
    ];
  } catch (error) {
    const failure = toOperatorFailure(error);
    if (failure === undefined) throw error;
    const hint = 'If the failure persists, restart the server and inspect its log.';
    return [...checkMachine({ settings, process: own }), makeFailedCheck('server', failure.message, hint)];
  }
}

// This check is needed only if a server runs, because the other checks then ran in the server's environment.
function compareSettings(own: Settings, inForce: InspectResult['settings']): DoctorCheck {
  const here = new Map(listSettings(own).map(({ variable, value }) => [variable, value]));
  const differing = inForce.filter(({ variable, value }) => here.get(variable) !== value);
  if (differing.length === 0)
    return makePassedCheck('environment', 'This environment has the settings of the running server.');
  const list = differing.map(({ variable, value }) => `${variable} (${value || 'unset'} there)`).join(', ');
  const hint =
    'Run operator commands with the environment of the server. When no server runs, commands use their own environment.';
  return makeWarningCheck('environment', `The settings of the running server differ: ${list}.`, hint);
}
