import { defineEndpoint, readOwnBot } from '@agent-platform/contract';
import { describe, expect, it } from 'vitest';
import { ConfigurationError } from '../errors.ts';
import { buildUrl, parseBaseUrl } from './urls.ts';

describe('the address of a server', () => {
  it.each([
    'https://platform.example',
    'https://platform.example:8443/prefix/',
    'http://127.0.0.1:8080',
    'http://127.9.9.9',
    'http://0x7f.1',
    'http://localhost:8080',
    'http://[::1]:8080',
  ])('may be %s', (baseUrl) => {
    expect(() => parseBaseUrl(baseUrl, false)).not.toThrow();
  });

  it.each([
    'http://platform.example',
    'http://10.0.0.1',
    'http://127.0.0.1.evil.example',
    'http://localhost.evil.example',
    'http://alice.localhost',
    'http://[::ffff:10.0.0.1]',
    'http://0.0.0.0',
  ])('is not plain http to another machine: %s', (baseUrl) => {
    expect(() => parseBaseUrl(baseUrl, false)).toThrow(/unencrypted/);
    expect(() => parseBaseUrl(baseUrl, true)).not.toThrow();
  });

  it.each([
    '',
    'platform.example',
    '/api',
    'ftp://platform.example',
    'file:///etc/passwd',
    'https://alice:secret@platform.example',
    'https://platform.example/?a=b',
    'https://platform.example/#a',
  ])('is refused when it is "%s"', (baseUrl) => {
    expect(() => parseBaseUrl(baseUrl, true)).toThrow(ConfigurationError);
  });

  it('does not repeat a password in the refusal', () => {
    expect(() => parseBaseUrl('https://alice:secret@platform.example', true)).not.toThrow(/secret/);
  });
});

describe('the URL of a call', () => {
  const act = defineEndpoint({
    id: 'act',
    tag: 'Orders',
    summary: 'Act',
    method: 'POST',
    path: '/api/v1/orders/{order_id}/{action}',
    auth: 'bearer',
    repeat: 'with-key',
    replies: {},
    errors: [],
  });

  it.each([
    ['https://platform.example', 'https://platform.example/api/v1/bots/me'],
    ['https://platform.example/', 'https://platform.example/api/v1/bots/me'],
    ['https://platform.example/prefix//', 'https://platform.example/prefix/api/v1/bots/me'],
  ])('is built from %s', (baseUrl, url) => {
    expect(buildUrl(parseBaseUrl(baseUrl, false), readOwnBot)).toBe(url);
  });

  it('encodes the values of the path and of the query', () => {
    const url = buildUrl(
      parseBaseUrl('https://platform.example', false),
      act,
      { order_id: 'a/b?c#d', action: '%2e%2e' },
      { q: 'a&b=c', page: 2, kind: undefined },
    );

    expect(url).toBe('https://platform.example/api/v1/orders/a%2Fb%3Fc%23d/%252e%252e?q=a%26b%3Dc&page=2');
  });

  it.each(['..', '.', '', undefined])('refuses "%s" in a path, because it would call another operation', (order_id) => {
    expect(() => buildUrl(new URL('https://platform.example'), act, { order_id, action: 'accept' })).toThrow(
      ConfigurationError,
    );
  });
});
