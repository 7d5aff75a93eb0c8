import { expect, it } from 'vitest';
import { findAccessRefusal } from './access.ts';

const authorization = 'Bearer the-bearer';

it.each([
  { host: '127.0.0.1:7777' },
  { host: 'localhost' },
  { host: '[::1]:7777' },
  { host: '127.0.0.1:7777', origin: 'http://localhost:3000' },
])('admits a client of this machine with the bearer: %j', (headers) => {
  expect(findAccessRefusal({ authorization, ...headers }, 'the-bearer')).toBeUndefined();
});

it.each([
  [403, {}],
  [403, { host: 'evil.example' }],
  [403, { host: '127.0.0.1.evil.example' }],
  [403, { host: 'localhost@evil.example' }],
  [403, { host: 'evil.example@localhost' }],
  [403, { host: 'localhost/evil.example' }],
  [403, { host: 'localhost.' }],
  [403, { host: '127.0.0.1:7777:80' }],
  [403, { host: '127.0.0.1', origin: 'https://evil.example' }],
  [403, { host: '127.0.0.1', origin: 'http://localhost.evil.example' }],
  [403, { host: '127.0.0.1', origin: 'http://evil.example@localhost' }],
  [403, { host: '127.0.0.1', origin: 'null' }],
  [403, { host: '127.0.0.1', origin: 'file://localhost' }],
  [401, { host: '127.0.0.1', authorization: undefined }],
  [401, { host: '127.0.0.1', authorization: 'Bearer another' }],
  [401, { host: '127.0.0.1', authorization: 'Basic the-bearer' }],
  [401, { host: '127.0.0.1', authorization: 'Bearer the-bearer ' }],
])('refuses with %i: %j', (status, headers) => {
  expect(findAccessRefusal({ authorization, ...headers }, 'the-bearer')).toMatchObject({ status });
});
