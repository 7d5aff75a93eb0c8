import { AsyncLocalStorage } from 'node:async_hooks';
import { NotJudged, Skipped, Violation } from '../expectations.ts';
import type { CheckRecord } from './check-record.ts';

const current = new AsyncLocalStorage<CheckRecord>();

/** Runs a check; what is claimed meanwhile is recorded. */
export function recordClaims<T>(record: CheckRecord, check: () => Promise<T>): Promise<T> {
  return current.run(record, check);
}

/**
 * Judges a requirement, or several that say the same, by itself: a violation inside fails it alone, and the check
 * goes on. The value is undefined where it failed.
 */
export async function claim<T>(
  requirement: string | readonly string[],
  judge: () => T | Promise<T>,
): Promise<T | undefined> {
  const record = current.getStore();
  const ids = [requirement].flat();
  try {
    const value = await judge();
    for (const id of ids) record?.pass(id);
    return value;
  } catch (error) {
    const isFinding = [Violation, Skipped, NotJudged].some((kind) => error instanceof kind);
    if (record === undefined || !isFinding) throw error;
    record.fail(error, ids);
    return undefined;
  }
}

/** Judges what the rest of a check builds on: a violation inside fails this requirement, and what follows is not judged. */
export async function about<T>(requirement: string, work: () => T | Promise<T>): Promise<T> {
  const value = await blame(requirement, work);
  current.getStore()?.pass(requirement);
  return value;
}

/**
 * Verifies a part of what a requirement says, on which a check builds: a violation inside fails this requirement. The part
 * alone is no pass.
 */
export async function blame<T>(requirement: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Violation) error.requirement ??= requirement;
    throw error;
  }
}
