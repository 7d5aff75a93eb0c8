import { readParagraphs } from './read-specification.ts';

/** Returns a module with the headings of the specification, which the published suite does not contain. */
export function printHeadings(): string {
  const paragraphs = readParagraphs();
  const firsts = paragraphs.filter(({ section }, at) => section !== paragraphs[at - 1]?.section);
  return `// Printed by "npm run generate" from docs/specification.

/** The headings of the specification, each with the number of the first paragraph below it. */
export const headings: readonly (readonly [paragraph: string, section: string])[] = [
${firsts.map(({ number, section }) => `  ['${number}', '${section}'],\n`).join('')}];
`;
}
