import { createHmac, randomBytes } from 'node:crypto';
import { encodingsOf, makeAnyOfPattern } from '../context/redaction.ts';

const alphabets = ['abcdefghijklmnopqrstuvwxyz', 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', '0123456789'];

/**
 * Makes placeholders for secrets. They have the same length, with letters for letters and digits for digits, so that
 * checks give the same results, and are derived from a key that exists only in this process.
 */
export function makePlaceholders(secrets: readonly string[]) {
  const key = randomBytes(32);
  const placeholders = new Map(secrets.map((secret) => [secret, disguise(secret, key)]));
  const exact = new Map<string, string>();
  const anyCase = new Map<string, string>();
  for (const [secret, placeholder] of placeholders) {
    const writings = encodingsOf(placeholder);
    for (const [at, writing] of encodingsOf(secret).entries()) {
      exact.set(writing, writings[at] ?? '');
      // If the letter case of a secret differs, so does that of its placeholder: both fail an exact comparison.
      anyCase.set(writing.toLowerCase(), (writings[at] ?? '').replaceAll(/[A-Za-z]/g, swapCase));
    }
  }
  const sought = secrets.length === 0 ? undefined : makeAnyOfPattern([...exact.keys()]);
  return {
    of: (secret: string): string => placeholders.get(secret) ?? '',
    clean: (text: string): string =>
      sought === undefined
        ? text
        : text.replaceAll(sought, (found) => exact.get(found) ?? anyCase.get(found.toLowerCase()) ?? ''),
  };
}

function disguise(secret: string, key: Buffer): string {
  const blocks = Array.from({ length: Math.ceil(secret.length / 32) }, (_, at) =>
    createHmac('sha256', key).update(`${at} ${secret}`).digest(),
  );
  const noise = Buffer.concat(blocks);
  // Keeps a prefix such as `apt_`, which identifies the kind of token and is not secret.
  const kept = /^[a-z]{2,8}_/.exec(secret)?.[0].length ?? 0;
  return secret.replaceAll(/[A-Za-z0-9]/g, (character, at: number) => {
    if (at < kept) return character;
    const alphabet = alphabets.find((letters) => letters.includes(character)) ?? '';
    return alphabet.charAt((noise[at] ?? 0) % alphabet.length);
  });
}

function swapCase(letter: string): string {
  return letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase();
}
