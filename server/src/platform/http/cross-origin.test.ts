import { describe, expect, it } from 'vitest';
import { sendBytes } from '../../../testing/send-bytes.ts';
import { expectRefusal, startTestServer, useTestServer } from '../../../testing/test-server.ts';
import { readSettings } from '../settings/settings.ts';

const listed = 'https://app.example.org';
const origin = (value = listed) => ({ headers: { origin: value, 'access-control-request-method': 'PATCH' } });
const server = useTestServer({
  PLATFORM_CORS_ORIGINS: `http://localhost:5173,${listed}`,
  PLATFORM_REQUEST_SECONDS: '1',
});

const preflight = async ({ url }: { readonly url: string }, path: string) =>
  await fetch(url + path, { method: 'OPTIONS', ...origin() });

describe('a preflight', () => {
  it.each(['/api/v1/wallet', '/api/v1/attachments', '/ws/v1/events/', '/api/v1/absent'])(
    'from a listed origin is permitted at %s without a token',
    async (path) => {
      const { status, headers } = await preflight(server(), path);

      expect(status).toBe(204);
      expect(headers.get('access-control-allow-origin')).toBe(listed);
      expect(headers.get('access-control-allow-methods')?.split(', ').toSorted()).toEqual([
        'DELETE',
        'GET',
        'PATCH',
        'POST',
      ]);
      expect(headers.get('access-control-allow-headers')).toBe('authorization, content-type');
      expect(headers.get('access-control-allow-credentials')).toBeNull();
      expect(headers.get('vary')).toBe('Origin');
    },
  );

  it('from another origin is 405', async () => {
    const answer = await server().request('OPTIONS', '/health/live', origin('https://other.example.org'));

    expectRefusal(answer, 'method_not_allowed');
    expect(answer.headers.get('access-control-allow-origin')).toBeNull();
  });

  it('is 405 without the setting', async () => {
    const without = await startTestServer();
    const answer = await without.request('OPTIONS', '/health/live', origin());

    expectRefusal(answer, 'method_not_allowed');
    expect([answer.headers.get('access-control-allow-origin'), answer.headers.get('vary')]).toEqual([null, null]);
  });

  it('counts towards the limit of its address', async () => {
    const limited = await startTestServer({
      PLATFORM_CORS_ORIGINS: listed,
      PLATFORM_REQUESTS_PER_ADDRESS_PER_MINUTE: '1',
    });
    await preflight(limited, '/api/v1/wallet');
    const answer = await limited.request('OPTIONS', '/api/v1/wallet', origin());

    expectRefusal(answer, 'rate_limited');
    expect(answer.headers.get('access-control-allow-origin')).toBe(listed);
  });
});

describe('a response to a listed origin', () => {
  it.each([
    ['GET', '/health/live', 200],
    ['GET', '/api/v1/wallet', 401],
    ['GET', '/api/v1/absent', 404],
    ['POST', '/api/v1/bots/register', 415],
    ['GET', '/ws/v1/events/', 400],
  ])('can be read by its page: %s %s is %i', async (method, path, expected) => {
    const { status, headers } = await server().request(method, path, {
      headers: { origin: listed, 'content-type': 'text/plain' },
    });

    expect([status, headers.get('access-control-allow-origin')]).toEqual([expected, listed]);
    expect(headers.get('vary')).toContain('Origin');
    expect(headers.get('access-control-expose-headers')).toBe('Retry-After, request-id, ETag, Content-Disposition');
    expect(headers.get('access-control-allow-credentials')).toBeNull();
  });

  it('can be read if the body of the request was too late', async () => {
    const head = `POST /api/v1/bots/register HTTP/1.1\r\nHost: a\r\nOrigin: ${listed}\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n`;

    expect(await sendBytes(server().url, head)).toMatch(
      /^HTTP\/1.1 408 .*access-control-allow-origin: https:\/\/app.example.org\r\n/s,
    );
  });
});

it('a response to another origin cannot be read by its page', async () => {
  const { headers } = await server().request('GET', '/health/live', {
    headers: { origin: 'https://app.example.org.evil' },
  });

  expect([headers.get('access-control-allow-origin'), headers.get('vary')]).toEqual([null, 'Origin']);
});

it('the setting accepts exact origins of web pages, and never all of them', () => {
  const origins = 'http://localhost:5173, https://app.example.org';

  expect(readSettings({ PLATFORM_CORS_ORIGINS: origins }).corsOrigins).toEqual(origins.split(', '));
  expect(() => readSettings({ PLATFORM_CORS_ORIGINS: '*' })).toThrow('list the origins of your pages');
  for (const wrong of ['https://app.example.org/', 'app.example.org', 'null', 'https://*.example.org/x', 'file:///x']) {
    expect(() => readSettings({ PLATFORM_CORS_ORIGINS: wrong })).toThrow(`invalid: ${wrong}`);
  }
});
