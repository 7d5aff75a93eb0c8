import { allChecks } from '../areas/all-checks.ts';
import { allObservations } from '../areas/all-observations.ts';
import { CannotRun } from '../context/cannot-run.ts';
import type { Check, Observation } from '../context/check.ts';
import { apiParts, type RunOptions } from '../context/options.ts';
import type { OmittedRequirements } from '../verdict/report.ts';
import type { Requirement } from '../verdict/requirements.ts';

export interface RunScope {
  readonly requirements: readonly Requirement[];
  /** The omitted requirements: they are not judged, even if other checks find violations of them. */
  readonly leftOut: OmittedRequirements;
  readonly checks: readonly Check[];
  readonly observations: readonly Observation[];
  /** Hints about selections that the user may not have intended. */
  readonly notes: readonly string[];
}

/** Selects the requirements that the options name, with their checks and observations. Throws if a name is unknown. */
export function selectScope(
  all: readonly Requirement[],
  { only, skip, without, profiles }: Pick<RunOptions, 'only' | 'skip' | 'without' | 'profiles'>,
): RunScope {
  const areas = [...new Set(all.map(({ id }) => areaOf(id)))];
  // The name of an area selects this area; any other text selects the ids that start with it.
  const isNamed = ({ id }: Requirement, names: readonly string[]) =>
    names.some((name) => (areas.includes(name) ? areaOf(id) === name : id.startsWith(name)));
  for (const name of [...only, ...skip]) {
    if (!all.some((row) => isNamed(row, [name])))
      throw new CannotRun(`${name} is not a requirement. The areas are ${areas.join(', ')}.`);
  }
  const requirements = all.filter((row) => (only.length === 0 || isNamed(row, only)) && !isNamed(row, skip));
  const leftOut = new Map<string, string>();
  for (const row of all) {
    const part = without.find((name) => areaOf(apiParts[name]) === areaOf(row.id));
    if (part !== undefined) leftOut.set(row.id, `without ${part}`);
    else if (isNamed(row, skip)) leftOut.set(row.id, '--skip');
  }
  const ids = new Set(requirements.flatMap(({ id }) => (leftOut.has(id) ? [] : [id])));
  const isSelected = ({ covers }: Check | Observation) => covers.some((id) => ids.has(id));
  const isDeclared = ({ profile }: Check) => profile === undefined || profiles.includes(profile);
  return {
    requirements,
    leftOut,
    checks: allChecks.filter((check) => isSelected(check) && isDeclared(check)),
    observations: allObservations.filter(isSelected),
    notes: [
      ...noteAreas('--only', only, areas),
      ...noteAreas('--skip', skip, areas),
      ...(without.length === 0
        ? []
        : [`Without ${without.join(', ')}, as declared: checks that build on them are skipped.`]),
    ],
  };
}

function areaOf(id: string): string {
  return id.replace(/-\d+$/, '');
}

function noteAreas(option: string, names: readonly string[], areas: readonly string[]): readonly string[] {
  return names.flatMap((name) => {
    const begun = areas.filter((area) => area.startsWith(name));
    const others = begun.filter((area) => area !== name && !names.includes(area));
    if (areas.includes(name) && others.length > 0)
      return [`${option} ${name} means ${name} alone, not ${others.join(' or ')}.`];
    if (!areas.includes(name) && begun.length > 1)
      return [`${option} ${name} means all of ${begun.join(', ')}. Write the name of one to select it alone.`];
    return [];
  });
}
