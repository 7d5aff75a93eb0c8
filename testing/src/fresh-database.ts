import { randomBytes } from 'node:crypto';
import { afterAll } from 'vitest';
import { executeBeside } from './template-database.ts';

const made: { readonly serverUrl: string; readonly name: string }[] = [];

/**
 * Makes an empty database and returns its address. It is dropped when the test
 * file that asked for it is done, open connections or not.
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

// Registered when the test file imports this module, before hooks of its own:
// hooks run in reverse order, so what the tests opened is closed by then.
afterAll(async () => {
  for (const { serverUrl, name } of made.splice(0))
    await executeBeside(serverUrl, () => `drop database if exists ${name} with (force)`);
});
