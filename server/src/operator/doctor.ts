import { Value } from 'typebox/value';
import { readSettings, type Settings, SettingsError } from '../platform/settings/settings.ts';
import { type Check, describeChecks, fail, ok } from './checks/check.ts';
import { checkDataFolder, checkNode, checkStorage, checkVariables } from './checks/machine-checks.ts';
import { checkAbsent, checkRunning } from './checks/server-checks.ts';
import { Inspection, inspect } from './commands/inspection.ts';
import { OperatorFailure, toFailure } from './failure.ts';
import { runCommand } from './run-command.ts';
import type { HereParts } from './run-here.ts';

/** What `doctor` needs to know of the process that it runs in. */
export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly nodeVersion: string;
  /** Undefined where the system has no such numbers. */
  readonly uid: number | undefined;
}

/** What `doctor` found. */
export interface Diagnosis {
  /** True unless a check failed. */
  readonly healthy: boolean;
  readonly checks: readonly Check[];
}

/** Its line in the help. */
export const doctorListing = {
  name: 'doctor',
  summary: 'check this installation and suggest fixes',
  parameters: [],
  isDefault: false,
};

/** Looks at this machine, at the running server if there is one, and at the database. */
export async function diagnose(
  surroundings: Surroundings,
  hereOf: (settings: Settings) => HereParts,
): Promise<Diagnosis> {
  const { env, nodeVersion, uid } = surroundings;
  const checks: Check[] = [checkNode(nodeVersion)];
  const settings = readOrExplain(env, checks);
  checks.push(checkVariables(env));
  if (settings !== undefined) {
    checks.push(...checkDataFolder(settings.dataDir, uid), ...checkStorage(settings, uid));
    checks.push(...(await lookInside(settings, hereOf(settings))));
  }
  return { healthy: checks.every(({ state }) => state !== 'fail'), checks };
}

function readOrExplain(env: Surroundings['env'], checks: Check[]): Settings | undefined {
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

async function lookInside(settings: Settings, here: HereParts): Promise<readonly Check[]> {
  try {
    const inside = await runCommand(inspect, {}, here);
    if (!Value.Check(Inspection, inside))
      throw new OperatorFailure('another_version', 'The server has another version.');
    const outside = inside.server === null ? await checkAbsent(settings) : await checkRunning(inside.server);
    return [...outside, ...inside.checks];
  } catch (error) {
    const failure = toFailure(error);
    if (failure === undefined) throw error;
    return [fail('server', failure.message, 'If the failure persists, restart the server and inspect its log.')];
  }
}

/** The diagnosis for people. */
export function describeDiagnosis({ checks }: Diagnosis): string {
  const count = (state: Check['state']) => checks.filter((check) => check.state === state).length;
  const plural = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`;
  const verdict = `${plural(count('fail'), 'error')}, ${plural(count('warn'), 'warning')}, ${count('ok')} passed.`;
  return `${describeChecks(checks)}\n\n${verdict}`;
}
