import { expect, it } from 'vitest';
import { isSqliteBusy } from './load-sqlite.ts';

it.each([
  ['of Node.js and Bun', Object.assign(new Error('the file is locked'), { errcode: 5 }), true],
  ['of Deno', Object.assign(new Error('database is locked'), { code: 'ERR_SQLITE_ERROR' }), true],
  ['of another cause', Object.assign(new Error('disk I/O error'), { errcode: 10 }), false],
  ['that is none', 'database is locked', false],
])('an error %s means that the file is locked: %s %s', (_, error, expected) => {
  expect(isSqliteBusy(error)).toBe(expected);
});
