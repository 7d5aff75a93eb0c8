import { createHash } from 'node:crypto';
import { day } from '../platform/clock.ts';

const tokenForm = /^apt_[A-Za-z0-9_-]{43}$/;

/** Tells whether a text can be a token at all; nothing else is looked up. */
export function isTokenForm(text: string): boolean {
  return tokenForm.test(text);
}

/** What is stored of a secret: its SHA-256 in hex. */
export function hashSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

/** The day no token reaches, for lifetimes that are switched off. */
const never = new Date('9999-12-31T23:59:59.999Z');

/** When a token issued now expires; a lifetime of 0 days has no end. */
export function expiryOf(issuedAt: Date, lifetimeDays: number): Date {
  if (lifetimeDays === 0) return never;
  return new Date(Math.min(issuedAt.getTime() + lifetimeDays * day, never.getTime()));
}
