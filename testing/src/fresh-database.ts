import { randomBytes } from 'node:crypto';
import { executeBeside } from './template-database.ts';

const made: { readonly serverUrl: string; readonly name: string }[] = [];

/**
 * Makes an empty database and returns its address. It is dropped after the test file.
 *
 * @example
 * const url = await freshDatabase(inject('postgresUrl'));
 */
export async function freshDatabase(serverUrl: string): Promise<string> {
  const name = `test_${randomBytes(8).toString('hex')}`;
  await executeBeside(serverUrl, () => `create database ${name} template template0`);
  made.push({ serverUrl, name });
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}

/** Drops the databases of a test file, open connections or not. */
export async function dropFreshDatabases(): Promise<void> {
  for (const { serverUrl, name } of made.splice(0))
    await executeBeside(serverUrl, () => `drop database if exists ${name} with (force)`);
}
