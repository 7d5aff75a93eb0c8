import { parse } from 'yaml';
import { isObject, type JsonObject } from '../context/json.ts';
import { readPackageFile } from '../package-files.ts';

/** What becomes of a requirement: it is tested, or it cannot be, or the specification leaves it open. */
export type Standing = 'tested' | 'excluded' | 'ambiguous';

/** One normative sentence of the specification. */
export interface Requirement {
  /** `AP-<AREA>-<nnn>` */
  readonly id: string;
  /** The heading of the specification under which it stands. */
  readonly section: string;
  /** The section, the number of the paragraph or table row in it, and the number of the sentence in that. */
  readonly place: string;
  /** Some words of the sentence. */
  readonly quote: string;
  readonly says: string;
  readonly keyword: 'must' | 'must not' | 'may' | 'open';
  readonly standing: Standing;
  /** How it is tested, why it cannot be, or what the specification leaves open. */
  readonly reason: string;
}

const standings: readonly Standing[] = ['tested', 'excluded', 'ambiguous'];
const keywords = ['must', 'must not', 'may', 'open'] as const;
const quoteMaxWords = 12;
const idForm = /^AP-[A-Z]+-\d{3}$/;

let register: readonly Requirement[] | undefined;

/** Reads the register of requirements that belongs to this suite. */
export function readRequirements(): readonly Requirement[] {
  register ??= parseRequirements(readPackageFile('requirements.yaml'));
  return register;
}

/** Parses a register and refuses whatever in it is not as it should be. */
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
  if (!idForm.test(id)) throw new Error(`${id} is not of the form AP-AREA-001.`);
  const keyword = keywords.find((known) => known === row['keyword']);
  if (keyword === undefined) throw new Error(`${id} has no keyword out of: ${keywords.join(', ')}.`);
  const [standing, another] = standings.filter((known) => row[known] !== undefined);
  if (standing === undefined || another !== undefined) {
    throw new Error(`${id} needs exactly one of: ${standings.join(', ')}.`);
  }
  if ((standing === 'ambiguous') !== (keyword === 'open')) throw new Error(`${id}: what is ambiguous is open.`);
  const known = new Set(['id', 'section', 'place', 'quote', 'says', 'keyword', standing]);
  const unknown = Object.keys(row).filter((name) => !known.has(name));
  if (unknown.length > 0) throw new Error(`${id} has unknown members: ${unknown.join(', ')}.`);
  const text = (name: string) => readText(row, name, id);
  const quote = text('quote');
  if (quote.split(/\s+/).length > quoteMaxWords) throw new Error(`${id} quotes more than ${quoteMaxWords} words.`);
  return {
    ...{ id, section: text('section'), place: text('place'), quote, says: text('says') },
    ...{ keyword, standing, reason: text(standing) },
  };
}

function readText(row: JsonObject, name: string, id: string): string {
  const text = row[name];
  if (typeof text !== 'string' || text.trim() === '') throw new Error(`${id} has no text "${name}".`);
  return text.trim();
}
