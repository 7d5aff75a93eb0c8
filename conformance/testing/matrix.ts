import type { CheckOutcome } from '@agent-platform/conformance';

/** A faulty server with the checks that should detect it, those that did, and the requirements that failed. */
export interface MatrixRow {
  readonly name: string;
  readonly claimed: readonly string[];
  readonly killedBy: readonly string[];
  readonly failed: readonly string[];
  /** How many requests, answers and frames the faulty server changed; undefined unless it is a proxy. */
  readonly changes?: number | undefined;
  /** Why the faulty server may remain undetected: its behaviour is permitted, or no client can observe it. */
  readonly exemption?: string | undefined;
}

/** Whether a check detected a fault: a requirement failed, or could not be judged because another one had failed. */
export function hasDetectedFault({ findings }: CheckOutcome): boolean {
  return findings.some(({ verdict, because }) => verdict === 'failed' || because !== undefined);
}

/** The ids of the checks that must each detect a fault, and of the requirements that must each fail for one. */
export interface MatrixGoals {
  readonly checks: readonly string[];
  readonly requirements: readonly string[];
}

/** A single fault may fail at most this many requirements. */
const failuresMax = 3;

/** Lists what a matrix does not prove and which faulty servers are judged wrongly, one point per line. */
export function findMatrixProblems(
  { checks, requirements }: MatrixGoals,
  rows: readonly MatrixRow[],
): readonly string[] {
  const killers = new Set(rows.flatMap(({ killedBy }) => killedBy));
  const failed = new Set(rows.flatMap((row) => row.failed));
  return [
    ...checks.filter((id) => !killers.has(id)).map((id) => `PROVED BY NOTHING  ${id}`),
    ...requirements.filter((id) => !failed.has(id)).map((id) => `FAILED BY NOTHING  ${id}`),
    ...rows
      .filter((row) => survivedOf(row).length > 0)
      .map((row) => `SURVIVED  ${row.name}: ${survivedOf(row).join(', ')}`),
    ...rows
      .filter(({ claimed, failed, exemption }) => claimed.length + failed.length === 0 && exemption === undefined)
      .map(({ name, changes }) => `${changes === 0 ? 'CHANGED NOTHING' : 'SURVIVED'}  ${name}`),
    ...rows
      .filter(({ exemption, failed }) => exemption !== undefined && failed.length > 0)
      .map(({ name, exemption, failed }) => `ACCUSED  ${name} (${exemption}): ${failed.join(', ')}`),
    ...rows
      .filter((row) => row.failed.length > failuresMax)
      .map((row) => `FAILS TOO MANY  ${row.name}: ${row.failed.join(', ')}`),
  ];
}

/** Formats the matrix: for each requirement, the faulty servers that fail it; then counts and the open points. */
export function formatMatrix(toBeProved: MatrixGoals, rows: readonly MatrixRow[]): string {
  const lines = toBeProved.requirements.flatMap((id) => {
    const [first = '(nothing)', ...rest] = rows.filter(({ failed }) => failed.includes(id)).map(({ name }) => name);
    return [`${id}  ${first}`, ...rest.map((name) => `${' '.repeat(id.length)}  ${name}`)];
  });
  const counts = rows.map(({ failed }) => failed.length).toSorted((one, other) => one - other);
  const killed = rows.filter((row) => survivedOf(row).length === 0 && row.failed.length > 0).length;
  const open = findMatrixProblems(toBeProved, rows);
  const { checks, requirements } = toBeProved;
  return [
    ...lines,
    '',
    `${rows.length} faulty servers, ${killed} killed; ${checks.length} checks, ${requirements.length} tested requirements`,
    `${rows.filter(({ exemption }) => exemption !== undefined).length} of them are permitted or not observable`,
    `failed requirements per faulty server: median ${medianOf(counts)}, at most ${counts.at(-1) ?? 0}`,
    ...open,
    ...(open.length === 0 ? ['Every check detects a fault, and every tested requirement fails for one.'] : []),
    '',
  ].join('\n');
}

function medianOf(sorted: readonly number[]): number {
  const [low = 0, high = low] = [
    sorted[Math.floor((sorted.length - 1) / 2)],
    sorted[Math.ceil((sorted.length - 1) / 2)],
  ];
  return (low + high) / 2;
}

function survivedOf({ claimed, killedBy }: MatrixRow): readonly string[] {
  return claimed.filter((id) => !killedBy.includes(id));
}
