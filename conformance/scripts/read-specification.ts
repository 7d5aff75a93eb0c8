import { readdirSync, readFileSync } from 'node:fs';

/** A numbered paragraph of the specification. */
export interface Paragraph {
  /** For example `2.14`. */
  readonly number: string;
  /** The name of the file that contains it. */
  readonly page: string;
  /** The headings above it. */
  readonly section: string;
  readonly isDecision: boolean;
  /** Its text up to the next paragraph, without tables. */
  readonly text: string;
}

const folder = new URL('../../docs/specification/', import.meta.url);
const opening = /^<a id="(\d)-(\d+)"><\/a>\*\*\1\.\2\*\* (\(decision\) )?/;

/** The pages of the specification, by file name. */
export function readSpecificationPages(): ReadonlyMap<string, string> {
  const names = readdirSync(folder).toSorted();
  return new Map(names.map((name) => [name, readFileSync(new URL(name, folder), 'utf8')]));
}

/** The numbered paragraphs of the specification, in order. */
export function readParagraphs(): readonly Paragraph[] {
  return [...readSpecificationPages()].flatMap(([page, text]) => paragraphsOf(page, text));
}

function paragraphsOf(page: string, text: string): readonly Paragraph[] {
  let [title, heading] = ['', ''];
  return text.split('\n\n').flatMap((block) => {
    if (block.startsWith('# ')) title = block.replace(/^# \d\. /, '');
    if (block.startsWith('## ')) heading = block.slice(3);
    const [mark, first, second, decision] = opening.exec(block) ?? [];
    if (mark === undefined) return [];
    const found = { number: `${first}.${second}`, section: `${title}: ${heading}`, isDecision: decision !== undefined };
    return [{ ...found, page, text: block.slice(mark.length) }];
  });
}

/** The address of a paragraph, relative to the folder of the specification. */
export function paragraphAddressOf({ page, number }: Paragraph): string {
  return `${page}#${number.replace('.', '-')}`;
}
