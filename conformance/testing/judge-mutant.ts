import { allChecks, judgeServer, type RunOptions, runOptions, withoutPace } from '@agent-platform/conformance';
import { countChanges } from './further-mutants.ts';
import { isNoticed, type MatrixRow } from './matrix.ts';
import { hourly } from './mutants/limit-mutants.ts';
import { walkOptions } from './mutants/walk-mutants.ts';
import { allHooksOf, type ReferenceServer, startReferenceServer, withoutLimits } from './reference-server.ts';
import { type Mutant, startFaulty } from './start-faulty.ts';

/** How a faulty server is judged: by these requirements, or by all; and also by the profile `limits`. */
export interface Judging {
  readonly only: readonly string[];
  readonly hasLimits?: boolean;
}

/** Starts a server for many faulty ones. */
export function startClean(): Promise<ReferenceServer> {
  return startReferenceServer({ ...withoutLimits, PLATFORM_CLOCK: 'test' });
}

/** Judges a faulty server, in front of a clean one that others share. */
export async function judgeMutant(shared: ReferenceServer, faulty: Mutant, judging: Judging): Promise<MatrixRow> {
  if (!faulty.kills.some((id) => id.startsWith('walks.'))) return await judgeOn(shared, faulty, judging);
  // The seed of these has certain commands, and its handles are free on a server that has not seen it.
  const own = await startClean();
  return await judgeOn(own, faulty, judging, walkOptions).finally(() => own.stop());
}

async function judgeOn(
  server: ReferenceServer,
  faulty: Mutant,
  judging: Judging,
  more: Partial<RunOptions> = {},
): Promise<MatrixRow> {
  const { mutant, changes } = countChanges(faulty);
  const running = await startFaulty(server, mutant);
  // Only where it is claimed: of any other server the profile waits for minutes.
  const isOfLimits = allChecks.some(({ id, profile }) => profile !== undefined && faulty.kills.includes(id));
  try {
    const report = await judgeServer(
      runOptions(running.url, {
        hooks: allHooksOf(server),
        ...{ wsUrl: running.wsUrl, eventSeconds: 1, ...more, only: judging.only },
        profiles: judging.hasLimits === true || isOfLimits ? ['limits'] : [],
        limits: faulty.kills.includes('limits.registrations') ? hourly : withoutPace,
      }),
    );
    const failed = report.requirements.filter(({ verdict }) => verdict === 'failed');
    return {
      ...{ name: faulty.name, claimed: faulty.kills, changes: changes() },
      killedBy: report.checks.filter(isNoticed).map(({ id }) => id),
      failed: failed.map(({ requirement }) => requirement.id),
    };
  } finally {
    await running.close();
  }
}
