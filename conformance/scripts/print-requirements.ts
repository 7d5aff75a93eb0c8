import { clientRequirements } from '../src/client/client-requirements.ts';
import { type Requirement, readRequirements, type Standing } from '../src/verdict/requirements.ts';
import { addressOf, readParagraphs } from './read-specification.ts';

const standings: Readonly<Record<Standing, string>> = {
  tested: '',
  excluded: '**Not tested:** ',
  ambiguous: '**Observed:** ',
};

const paragraphs = new Map(readParagraphs().map((paragraph) => [paragraph.number, paragraph]));

function linkTo({ id, paragraph: number }: Requirement): string {
  const paragraph = paragraphs.get(number);
  if (paragraph === undefined) throw new Error(`${id} names no paragraph of the specification.`);
  return `[§${number}](../specification/${addressOf(paragraph)})`;
}

const areaOf = ({ id }: Requirement) => id.split('-')[1] ?? '';

function formatRow(requirement: Requirement): string {
  const { id, says, keyword, standing, reason } = requirement;
  const cells = [`\`${id}\``, linkTo(requirement), says, keyword, `${standings[standing]}${reason}`];
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('<', '&lt;')).join(' | ')} |`;
}

function printArea(area: string, requirements: readonly Requirement[]): readonly string[] {
  const rows = requirements.filter((requirement) => areaOf(requirement) === area);
  const sections = [...new Set(rows.map(({ section }) => section))];
  return [
    `## AP-${area}`,
    `Of ${sections.map((section) => `“${section}”`).join(', ')}.`,
    [
      '| id | paragraph | requirement | strength | judged |',
      '| --- | --- | --- | --- | --- |',
      ...rows.map(formatRow),
    ].join('\n'),
  ];
}

/** Prints every requirement with its sentence, its strength and how it is judged. */
export function printRequirements(): string {
  const requirements = readRequirements();
  const count = (standing: Standing) => requirements.filter((requirement) => requirement.standing === standing).length;
  const areas = [...new Set(requirements.map(areaOf))];
  return `${[
    '# Requirements of the conformance suite',
    `Find a requirement and how it is tested. Printed by \`npm run generate\` from \`conformance/requirements.yaml\`. The register has rows for each paragraph of the
[specification](../specification/1-conventions.md): ${requirements.length} in all, of which ${count('tested')} are tested, ${count('excluded')} are not
tested for the reason that the row names, and ${count('ambiguous')} are observed.`,
    `The strength is that of the paragraph: *must* and *must not* bind every server, *may* permits a behaviour, *open* marks a decision,
from which a server may differ. The last column tells how the suite judges the row, or why it does not. An open detail is observed and
reported; only a strict run judges it. Verdicts, exit codes and options are in the [README of the suite](../../conformance/README.md), its
use in [Judge your own server](../guides/judging-a-server.md).`,
    `\`--only\` and \`--skip\` select by id or by prefix, for example \`--only AP-${areas[0]}\`.`,
    ...areas.flatMap((area) => printArea(area, requirements)),
    ...printArea('CLIENT', clientRequirements),
    'These rows bind the program of an agent, and `agent-platform-conformance client` judges them.',
  ].join('\n\n')}\n`;
}
