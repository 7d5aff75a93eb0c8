import { randomBytes } from 'node:crypto';

/** A fresh secret as text: a prefix that says what it is, and random bytes in letters that a shell leaves alone. */
export function newSecret(prefix: string, bytes: number): string {
  return `${prefix}${randomBytes(bytes).toString('base64url')}`;
}
