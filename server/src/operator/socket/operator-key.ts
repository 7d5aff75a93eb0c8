import { randomBytes, timingSafeEqual } from 'node:crypto';
import { closeSync, constants, openSync, readSync, rmSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { sha256 } from '../../platform/crypto.ts';

/**
 * The key of the operator's socket: a random text in the data folder, which changes at each start. The operating system
 * only checks the user. A process of that user without access to files, such as an inspector, may still reach the
 * socket, but cannot read the key.
 */
export interface OperatorKey {
  accepts(authorization: string | undefined): boolean;
  remove(): void;
}

const pathOf = (dataDir: string) => resolve(dataDir, 'operator.key');

export function makeOperatorKey(dataDir: string): OperatorKey {
  const path = pathOf(dataDir);
  const key = randomBytes(32).toString('base64url');
  // Never write into an existing file, which could have another mode.
  rmSync(path, { force: true });
  writeFileSync(path, key, { mode: 0o600, flag: 'wx' });
  const digest = digestOf(bearer(key));
  return {
    accepts: (authorization) => authorization !== undefined && timingSafeEqual(digestOf(authorization), digest),
    remove: () => rmSync(path, { force: true }),
  };
}

/** The headers with the key of the running server; empty if no server or an earlier version runs. */
export function readKeyHeaders(dataDir: string): Readonly<Record<string, string>> {
  const key = readKey(pathOf(dataDir));
  return key === undefined ? {} : { authorization: bearer(key) };
}

const keyForm = /^[\w-]{43}$/;

// The operator may be root, and the folder may belong to another user. So this function returns only a valid key,
// follows no link and does not wait for a pipe.
function readKey(path: string): string | undefined {
  let file: number | undefined;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const bytes = Buffer.alloc(64);
    const text = bytes.toString('latin1', 0, readSync(file, bytes));
    return keyForm.test(text) ? text : undefined;
  } catch {
    return undefined;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

const bearer = (key: string) => `Bearer ${key}`;
const digestOf = (text: string) => Buffer.from(sha256(text));
