export interface DocumentPart {
  /** The last segment of the page's path. */
  readonly name: string;
  readonly title: string;
  /** Markdown, with the title as its first heading. */
  readonly text: string;
  readonly anchors: readonly string[];
}

/** Splits at second-level headings; `head` is the text before the first of them. */
export function splitDocument(text: string): { readonly head: string; readonly parts: readonly DocumentPart[] } {
  const [head = '', ...sections] = text.split(/^(?=## )/m);
  return { head, parts: sections.map(toPart) };
}

function toPart(section: string): DocumentPart {
  const headings = [...section.matchAll(/^#{2,6} (.+)$/gm)].map(([, heading = '']) => heading);
  const anchors = headings.map(toAnchor);
  const title = headings[0] ?? '';
  return { name: anchors[0] ?? '', title: title.replaceAll('`', ''), text: raise(section), anchors };
}

function raise(section: string): string {
  return section.replaceAll(/^#(#+ )/gm, '$1');
}

/** Must return the same anchors as the site generator. */
export function toAnchor(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .trim()
    .replaceAll(' ', '-');
}

/** Removes the padding of table cells, which makes up half of a generated reference. */
export function removeTablePadding(text: string): string {
  return text.replaceAll(/^\|.*\|$/gm, (row) => row.replaceAll(/ {2,}(?=\|)/g, ' ').replaceAll(/-{4,}/g, '---'));
}
