import { allChecks, judgeServer, type RunOptions, runOptions, unpacedLimits } from '@agent-platform/conformance';
import { withChangeCounter } from './catalogue-mutants.ts';
import { hasDetectedFault, type MatrixRow } from './matrix.ts';
import { registrationLimitOnly } from './mutants/limit-mutants.ts';
import { walkMutantOptions } from './mutants/walk-mutants.ts';
import { allHooksOf, type ReferenceServer, startReferenceServer, unlimitedSettings } from './reference-server.ts';
import { type Mutant, startFaultyServer } from './start-faulty.ts';

/** The requirements that a faulty server is judged by (empty: all), and whether the profile `limits` is used. */
export interface JudgingOptions {
  readonly only: readonly string[];
  readonly hasLimits?: boolean;
}

/** Many faulty servers can share this correct server. */
export function startCleanServer(): Promise<ReferenceServer> {
  return startReferenceServer({ ...unlimitedSettings, PLATFORM_CLOCK: 'test' });
}

export async function judgeMutant(
  shared: ReferenceServer,
  faulty: Mutant,
  judging: JudgingOptions,
): Promise<MatrixRow> {
  if (!faulty.kills.some((id) => id.startsWith('walks.'))) return await judgeOn(shared, faulty, judging);
  // Walks use a fixed seed and thus the same handles each time, so each mutant needs a server without these agents.
  const own = await startCleanServer();
  return await judgeOn(own, faulty, judging, walkMutantOptions).finally(() => own.stop());
}

async function judgeOn(
  server: ReferenceServer,
  faulty: Mutant,
  judging: JudgingOptions,
  more: Partial<RunOptions> = {},
): Promise<MatrixRow> {
  const { mutant, changes } = withChangeCounter(faulty);
  const running = await startFaultyServer(server, mutant);
  // The checks of the profile wait for minutes, so only servers that name one of them are judged with it.
  const isOfLimits = allChecks.some(({ id, profile }) => profile !== undefined && faulty.kills.includes(id));
  try {
    const report = await judgeServer(
      runOptions(running.url, {
        hooks: allHooksOf(server),
        wsUrl: running.wsUrl,
        eventSeconds: 1,
        ...more,
        only: judging.only,
        profiles: judging.hasLimits === true || isOfLimits ? ['limits'] : [],
        limits: faulty.kills.includes('limits.registrations') ? registrationLimitOnly : unpacedLimits,
      }),
    );
    const failed = report.requirements.filter(({ verdict }) => verdict === 'failed');
    return {
      name: faulty.name,
      claimed: faulty.kills,
      changes: changes(),
      killedBy: report.checks.filter(hasDetectedFault).map(({ id }) => id),
      failed: failed.map(({ requirement }) => requirement.id),
    };
  } finally {
    await running.close();
  }
}
