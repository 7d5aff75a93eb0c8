import { createHash } from 'node:crypto';

const tokenForm = /^apt_[A-Za-z0-9_-]{43}$/;

/** Tells whether a text can be a token at all; nothing else is looked up. */
export function isTokenForm(text: string): boolean {
  return tokenForm.test(text);
}

/** What is stored of a secret: its SHA-256 in hex. */
export function hashSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}
