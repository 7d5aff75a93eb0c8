import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));

/**
 * Returns the Node.js arguments of the command in an example's README (`npm run -s example -- NAME WORDS`), after some
 * replacements.
 */
export function readExampleArguments(
  example: string,
  name: string,
  replaced: Readonly<Record<string, string>>,
): string[] {
  const readme = readFileSync(join(root, 'examples', example, 'README.md'), 'utf8');
  const [, words] = new RegExp(`^npm run -s example -- ${name} (.+)$`, 'm').exec(readme) ?? [];
  if (words === undefined) throw new Error(`The README of ${example} does not start ${name}.`);
  return [join(root, 'scripts/run.mjs'), 'example', name, ...words.split(' ').map((word) => replaced[word] ?? word)];
}
