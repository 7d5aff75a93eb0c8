import { allChecks } from './areas/all-checks.ts';
import { type Scope, selectScope } from './suite/select-scope.ts';
import { readRequirements } from './verdict/requirements.ts';

/** The requirements with their ids and their checks, and what is observed; nothing is sent. */
export function listRequirements(selection: Parameters<typeof selectScope>[1]): string {
  const { requirements, observations, notes }: Scope = selectScope(readRequirements(), selection);
  const idWidth = 2 + Math.max(...requirements.map(({ id }) => id.length));
  const rows = requirements.map(({ id, standing, says }) => {
    const checks = allChecks.filter(({ covers }) => covers.includes(id)).map((check) => check.id);
    return [
      `${id.padEnd(idWidth)}${standing.padEnd(11)}${says}`,
      ...(checks.length === 0 ? [] : [`    ${checks.join(' ')}`]),
    ];
  });
  const observed = observations.map(
    ({ id, covers, question }) => `${covers.join(' ').padEnd(idWidth)}observed   ${question}\n    ${id}`,
  );
  return `${[...notes, ...rows.flat(), ...observed].join('\n')}\n`;
}
