import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { credentialFor, testKeyPair, testToken } from '../testing/records.ts';
import { hideCredentialSecrets } from './credential.ts';
import {
  type AnyPlatformError,
  ApiError,
  ConfigurationError,
  ConnectionError,
  CredentialError,
  EnvelopeError,
  isPlatformError,
  OutcomeUnknownError,
  PlatformError,
} from './errors.ts';

const refused = new ApiError({
  status: 429,
  code: 'rate_limited',
  serverCode: 'rate_limited',
  message: 'Wait.',
  requestId: 'r-1',
  retryAfterSeconds: 7,
  details: [],
  retryable: true,
});

const each: AnyPlatformError[] = [
  refused,
  new ConnectionError('timeout', 'Too slow.'),
  new OutcomeUnknownError('rotateToken', 'Who knows.', refused),
  new EnvelopeError('cannot_open', 'Changed.'),
  new CredentialError('no_credential', 'None.'),
  new ConfigurationError('Wrong.'),
];

describe('the errors of this package', () => {
  it.each(each.map((error) => [error.name, error] as const))(
    '%s is named, coded and of the one family',
    (name, error) => {
      expect(error).toBeInstanceOf(PlatformError);
      expect(isPlatformError(error)).toBe(true);
      expect(error.constructor.name).toBe(name);
      expect(String(error)).toBe(`${name}: ${error.message}`);
      expect(JSON.parse(JSON.stringify(error))).toMatchObject({ name, code: error.code, message: error.message });
    },
  );

  it('are distinguished by their code, which narrows the type', () => {
    const describeError = (error: AnyPlatformError): string => {
      switch (error.code) {
        case 'rate_limited':
          return `wait ${error.retryAfterSeconds} s`;
        case 'outcome_unknown':
          return error.operationId;
        default:
          return error.name;
      }
    };

    expect(describeError(refused)).toBe('wait 7 s');
    expect(each.map(describeError)).toContain('rotateToken');
  });

  it('do not include errors of other origins', () => {
    expect(isPlatformError(new Error('other'))).toBe(false);
    expect(isPlatformError(undefined)).toBe(false);
  });

  it('log all public members of a refusal', () => {
    expect(JSON.parse(JSON.stringify(refused))).toEqual({
      name: 'ApiError',
      code: 'rate_limited',
      message: 'Wait.',
      status: 429,
      serverCode: 'rate_limited',
      requestId: 'r-1',
      retryAfterSeconds: 7,
      details: [],
      retryable: true,
    });
  });
});

describe('a credential that could not be saved', () => {
  const credential = credentialFor('https://platform.example');
  const error = new CredentialError('credential_not_saved', 'Disk full.', {
    cause: new Error('ENOSPC'),
    credential: hideCredentialSecrets(credential),
  });

  it('can be rescued by the program', () => {
    expect({ ...error.credential }).toEqual(credential);
  });

  it.each([
    ['JSON', () => JSON.stringify({ error })],
    ['an inspection', () => inspect(error, { depth: 9 })],
    ['an inspection of hidden members', () => inspect(error, { showHidden: true, depth: 9 })],
    ['a text', () => `${error} ${error.stack}`],
    ['its members', () => JSON.stringify(Object.entries(error))],
    ['a copy', () => inspect({ ...error })],
    ['a careless print of the credential', () => inspect(error.credential)],
  ])('is not shown by %s', (_, show) => {
    expect(show()).not.toContain(testToken);
    expect(show()).not.toContain(testKeyPair.secretKey);
  });
});
