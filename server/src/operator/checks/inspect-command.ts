import { pid } from 'node:process';
import { listSettings } from '../../platform/settings/settings.ts';
import { defineOperatorCommand } from '../command.ts';
import type { OperatorDependencies, ServerFacts } from '../parts.ts';
import { checkBackups } from './backup-checks.ts';
import { type DoctorCheck, formatChecks } from './check.ts';
import { checkDatabase } from './database-checks.ts';
import { checkBucket } from './file-checks.ts';
import { checkInspector } from './inspector-checks.ts';
import {
  checkDataFolder,
  checkNode,
  checkStorage,
  checkVariables,
  checkZombies,
  countZombies,
} from './machine-checks.ts';
import { checkOpenFiles } from './open-files.ts';

export interface InspectResult {
  readonly server: ServerFacts | null;
  /** The settings of the process in which the checks ran. */
  readonly settings: ReturnType<typeof listSettings>;
  readonly machine: readonly DoctorCheck[];
  readonly checks: readonly DoctorCheck[];
}

/** The checks of `doctor` as a command, so that a running server executes them in its own environment. */
export const inspectCommand = defineOperatorCommand({
  name: 'inspect',
  summary: 'check the machine and the database, and report the running server',
  run: async (parts): Promise<InspectResult> => ({
    server: parts.server,
    settings: listSettings(parts.settings),
    machine: [...checkMachine(parts), ...(await checkBucket(parts.settings)), await checkInspector(parts.settings)],
    checks: [...(await checkDatabase(parts)), ...(await checkBackups(parts))],
  }),
  format: ({ machine, checks }) => formatChecks([...machine, ...checks]),
});

export function checkMachine({
  settings,
  process,
}: Pick<OperatorDependencies, 'settings' | 'process'>): readonly DoctorCheck[] {
  return [
    checkNode(process.nodeVersion),
    ...(pid === 1 ? [checkZombies(countZombies(pid))] : []),
    checkVariables(process.env),
    checkOpenFiles(settings),
    ...checkDataFolder(settings.dataDir, process.uid),
    ...checkStorage(settings, process.uid),
  ];
}
