import { expect, it } from 'vitest';
import { findNearestName } from './nearest-name.ts';

it.each([
  ['credential', 'credentials'],
  ['Credentials', 'credentials'],
  ['retries', 'maxRetries'],
  ['onRespons', 'onResponse'],
  ['url', 'baseUrl'],
  ['ulr', undefined],
  ['baseulr', 'baseUrl'],
  ['x', undefined],
  ['nonsense', undefined],
])('the name nearest to %s is %s', (name, nearest) => {
  expect(findNearestName(name, ['baseUrl', 'credentials', 'maxRetries', 'onRequest', 'onResponse'])).toBe(nearest);
});
