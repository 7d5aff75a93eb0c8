import { allChecks, judgeServer, type RunOptions, runOptions, unpacedLimits } from '@agent-platform/conformance';
import { withChangeCounter } from './catalogue-mutants.ts';
import { hasDetectedFault, type MatrixRow } from './matrix.ts';
import { registrationLimitOnly } from './mutants/limit-mutants.ts';
import { walkMutantOptions } from './mutants/walk-mutants.ts';
import { allHooksOf, type ReferenceServer, startReferenceServer, unlimitedSettings } from './reference-server.ts';
import { type Mutant, startFaulty } from './start-faulty.ts';

/** How to judge a faulty server: with these requirements or with all, and optionally with the profile `limits`. */
export interface JudgingOptions {
  readonly only: readonly string[];
  readonly hasLimits?: boolean;
}

/** Starts a correct server that many faulty servers can use. */
export function startCleanServer(): Promise<ReferenceServer> {
  return startReferenceServer({ ...unlimitedSettings, PLATFORM_CLOCK: 'test' });
}

/** Judges a faulty server in front of a shared correct server. */
export async function judgeMutant(
  shared: ReferenceServer,
  faulty: Mutant,
  judging: JudgingOptions,
): Promise<MatrixRow> {
  if (!faulty.kills.some((id) => id.startsWith('walks.'))) return await judgeOn(shared, faulty, judging);
  // Walks use one seed, which gives the same handles each time, so each mutant needs a server without these agents.
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
  const running = await startFaulty(server, mutant);
  // Adds the profile only for servers that name one of its checks, because its checks wait for minutes.
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
