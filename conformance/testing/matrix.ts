/** A faulty server, the checks that are said to find it out, and those that did. */
export interface MatrixRow {
  readonly name: string;
  readonly claimed: readonly string[];
  readonly killedBy: readonly string[];
}

/** Tells whether every check kills something, and every faulty server is found out as it was claimed. */
export function isProved(checks: readonly string[], rows: readonly MatrixRow[]): boolean {
  const killers = new Set(rows.flatMap(({ killedBy }) => killedBy));
  return checks.every((id) => killers.has(id)) && rows.every((row) => survivedOf(row).length === 0);
}

/** The matrix for people: for each check the faulty servers that it finds out, and what is left to be done. */
export function printMatrix(checks: readonly string[], rows: readonly MatrixRow[]): string {
  const width = Math.max(...checks.map((id) => id.length));
  const lines = checks.flatMap((id) => {
    const killed = rows.filter(({ killedBy }) => killedBy.includes(id)).map(({ name }) => name);
    const [first = '(nothing)', ...rest] = killed;
    return [`${id.padEnd(width)}  ${first}`, ...rest.map((name) => `${' '.repeat(width)}  ${name}`)];
  });
  const idle = checks.filter((id) => !rows.some(({ killedBy }) => killedBy.includes(id)));
  const surviving = rows.filter((row) => survivedOf(row).length > 0);
  const kills = rows.reduce((sum, { killedBy }) => sum + killedBy.length, 0);
  return [
    ...lines,
    '',
    `${rows.length} faulty servers, ${checks.length} checks, ${kills} kills`,
    ...idle.map((id) => `PROVED BY NOTHING  ${id}`),
    ...surviving.map((row) => `SURVIVED  ${row.name}: ${survivedOf(row).join(', ')}`),
    idle.length + surviving.length === 0 ? 'Every check is proved, and every faulty server is found out.' : '',
  ]
    .join('\n')
    .trimEnd()
    .concat('\n');
}

function survivedOf({ claimed, killedBy }: MatrixRow): readonly string[] {
  return claimed.filter((id) => !killedBy.includes(id));
}
