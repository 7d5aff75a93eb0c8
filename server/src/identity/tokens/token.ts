import { sha256 } from '../../platform/sha256.ts';

const tokenForm = /^apt_[A-Za-z0-9_-]{43}$/;

/** Tells whether a text has the form of a token; the database is queried for no other text. */
export function isTokenForm(text: string): boolean {
  return tokenForm.test(text);
}

/** What is stored of a secret: its SHA-256 in hex. */
export function hashSecret(secret: string): string {
  return sha256(secret);
}
