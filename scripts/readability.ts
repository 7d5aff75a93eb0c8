/** Removes front matter, code, tables, headings, HTML and link addresses. */
export function extractProse(markdown: string): string {
  return markdown
    .replace(/^---\n[\s\S]*?\n---\n/, '')
    .replaceAll(/^(`{3,}|~{3,})[\s\S]*?^\1`*$/gm, '')
    .replaceAll(/<!--[\s\S]*?-->|<[^>\n]+>/g, '')
    .replaceAll(/^ *(\||#).*$/gm, '')
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/^ *(?:[-*]|\d+\.) +/gm, '\n')
    .replaceAll(/`[^`\n]*`/g, 'code')
    .replaceAll(/[*_>]/g, '');
}

/** Returns each sentence as a list of words. The end of a paragraph also ends a sentence. */
export function splitSentences(prose: string): readonly (readonly string[])[] {
  return prose
    .split(/\n\s*\n|(?<=[.!?:])\s+(?=["“]?\p{Lu})/u)
    .map((sentence) => sentence.match(/[\p{L}\d'’-]*\p{L}[\p{L}\d'’-]*/gu) ?? [])
    .filter((words) => words.length > 2);
}

/** The grade is that of Flesch and Kincaid. */
export function computeGrade(sentences: readonly (readonly string[])[]) {
  const words = sentences.flat();
  const wordsPerSentence = words.length / sentences.length;
  const syllablesPerWord = words.reduce((sum, word) => sum + countSyllables(word), 0) / words.length;
  return { wordsPerSentence, grade: 0.39 * wordsPerSentence + 11.8 * syllablesPerWord - 15.59 };
}

// Counts groups of vowels except a silent final e. This is exact for nine words in ten, which suffices for a mean.
function countSyllables(word: string): number {
  const groups = word
    .toLowerCase()
    .replace(/(?<=[^aeiouyl])e(?:s|d)?$/, '')
    .match(/[aeiouy]+/g);
  return Math.max(1, groups?.length ?? 0);
}
