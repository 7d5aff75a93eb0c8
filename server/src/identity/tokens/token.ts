import { createHash } from 'node:crypto';

const tokenForm = /^apt_[A-Za-z0-9_-]{43}$/;

/** Tells whether a text has the form of a token; the database is queried for no other text. */
export function isTokenForm(text: string): boolean {
  return tokenForm.test(text);
}

/** What is stored of a secret: its SHA-256 in hex. */
export function hashSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}
