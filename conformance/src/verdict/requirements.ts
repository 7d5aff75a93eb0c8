import { parse } from 'yaml';
import { isObject, type JsonObject } from '../context/json.ts';
import { readPackageFile } from '../package-files.ts';
import { specificationHeadings } from './specification-headings.ts';

/** `excluded`: no test can judge it; `ambiguous`: open in the specification, and settled by a decision. */
export type Testability = 'tested' | 'excluded' | 'ambiguous';

/** A rule of the specification that a test can judge. */
export interface Requirement {
  /** `AP-<AREA>-<nnn>` */
  readonly id: string;
  /** The number of the specification's paragraph that states the rule, such as 2.14. */
  readonly paragraph: string;
  /** The headings above the paragraph. */
  readonly section: string;
  readonly says: string;
  /** `open` if the specification leaves the behaviour open. */
  readonly keyword: 'must' | 'must not' | 'may' | 'open';
  readonly standing: Testability;
  /** How the rule is tested, why it cannot be tested, or what the decision says. */
  readonly reason: string;
}

const standings: readonly Testability[] = ['tested', 'excluded', 'ambiguous'];
const keywords = ['must', 'must not', 'may', 'open'] as const;
const idForm = /^AP-[A-Z]+-\d{3}$/;

let register: readonly Requirement[] | undefined;

/** Reads this suite's register of requirements. */
export function readRequirements(): readonly Requirement[] {
  register ??= parseRequirements(readPackageFile('requirements.yaml'));
  return register;
}

/** Parses a register and rejects invalid entries. */
export function parseRequirements(yaml: string): readonly Requirement[] {
  const rows: unknown = parse(yaml);
  if (!Array.isArray(rows)) throw new Error('The register is not a list.');
  const requirements = rows.map(readRow);
  const seen = new Set<string>();
  for (const { id } of requirements) {
    if (seen.has(id)) throw new Error(`${id} occurs twice.`);
    seen.add(id);
  }
  return requirements;
}

function readRow(row: unknown): Requirement {
  if (!isObject(row)) throw new Error('A row of the register is not an object.');
  const id = readText(row, 'id', 'A row');
  if (!idForm.test(id)) throw new Error(`${id} does not have the form AP-AREA-001.`);
  const keyword = keywords.find((known) => known === row['keyword']);
  if (keyword === undefined) throw new Error(`${id} needs one of the keywords ${keywords.join(', ')}.`);
  const [standing, another] = standings.filter((known) => row[known] !== undefined);
  if (standing === undefined || another !== undefined) {
    throw new Error(`${id} needs exactly one of: ${standings.join(', ')}.`);
  }
  if (standing === (keyword === 'open' ? 'tested' : 'ambiguous'))
    throw new Error(`${id}: an ambiguous rule has the keyword open.`);
  const known = new Set(['id', 'paragraph', 'says', 'keyword', standing]);
  const unknown = Object.keys(row).filter((name) => !known.has(name));
  if (unknown.length > 0) throw new Error(`${id} has unknown members: ${unknown.join(', ')}.`);
  const text = (name: string) => readText(row, name, id);
  const paragraph = text('paragraph');
  return {
    id,
    paragraph,
    section: sectionOf(paragraph),
    says: text('says'),
    keyword,
    standing,
    reason: text(standing),
  };
}

/** The headings above a paragraph of the specification. */
export function sectionOf(paragraph: string): string {
  const [page, number] = splitNumber(paragraph);
  const found = specificationHeadings.findLast(([first]) => {
    const [firstPage, firstNumber] = splitNumber(first);
    return firstPage === page && firstNumber <= number;
  });
  if (found === undefined) throw new Error(`The specification has no paragraph ${paragraph}.`);
  return found[1];
}

function splitNumber(paragraph: string): readonly [page: number, number: number] {
  const [page, number] = paragraph.split('.').map(Number);
  return [page ?? 0, number ?? 0];
}

function readText(row: JsonObject, name: string, id: string): string {
  const text = row[name];
  if (typeof text !== 'string' || text.trim() === '') throw new Error(`${id} has no text "${name}".`);
  return text.trim();
}
