import { createHash } from 'node:crypto';

/** A sentence of the specification. */
export interface Sentence {
  /** Its section, the number of the paragraph or table row in it, and its number in that. */
  readonly place: string;
  readonly text: string;
}

const ruleOfTable = /^\|( ?-+ ?\|)+$/;

/** Splits the specification into its sentences; a row of a table is a paragraph, and its header is none. */
export function sentencesOf(specification: string): readonly Sentence[] {
  const lines = specification.split('\n').map((line) => line.trim());
  const sentences: Sentence[] = [];
  let [part, section, paragraph] = ['', '', 0];
  for (const [at, line] of lines.entries()) {
    const heading = /^#+ (.*)$/.exec(line) ?? /^([A-Z][A-Za-z ]+):$/.exec(line);
    if (line.startsWith('## ')) part = heading?.[1] ?? '';
    // A resource and its endpoints may have the same heading.
    const prefix = line.startsWith('### ') && part === 'Endpoints' ? `${part}, ` : '';
    if (heading?.[1] !== undefined) [section, paragraph] = [`${prefix}${heading[1]}`, 0];
    const isHeader = line.startsWith('|') && ruleOfTable.test(lines[at + 1] ?? '');
    if (heading !== null || line === '' || ruleOfTable.test(line) || isHeader) continue;
    paragraph += 1;
    const text = line.startsWith('|') ? line.replace(/^\|+|\|+$/g, '').trim() : line.replace(/^(\d+\.|-) /, '');
    for (const [index, sentence] of text.split(/(?<=[.;])\s+/).entries())
      sentences.push({ place: `${section} ${paragraph}.${index + 1}`, text: sentence.trim() });
  }
  return sentences;
}

/** The first half of the SHA-256 of a sentence. */
export function hashOf({ text }: Sentence): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}
