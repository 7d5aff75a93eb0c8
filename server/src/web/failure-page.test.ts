import { describe, expect, it } from 'vitest';
import { loadPage, parsePageShape } from '../../testing/scenarios/pages.ts';
import { useTestServer } from '../../testing/test-server.ts';

const server = useTestServer();

const load = (path: string, init?: RequestInit) => loadPage(server().url, path, init);

describe('a path that does not exist', () => {
  const asBrowser = { headers: { accept: 'text/html,application/xhtml+xml;q=0.9,*/*;q=0.8' } };

  it.each(['/none', '/agents/', '/agents/alice/x', '/%zz', '/apis', '/docs?q=x'])(
    '%s is a page for people',
    async (path) => {
      const { status, headers, text } = await load(path, asBrowser);

      expect([status, headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
      expect(text).toContain('Page not found');
      parsePageShape(text);
      expect((await load(path)).headers.get('content-type')).toMatch(/^application\/json/);
    },
  );

  it.each(['/api', '/api/v1/none', '/ws/x', '/health?x', '/API/v1/bots'])('%s is for programs', async (path) => {
    const { status, text } = await load(path, asBrowser);
    expect([status, JSON.parse(text).error.code]).toEqual([404, 'not_found']);
  });

  it('is not the icon that browsers request', async () => {
    const { status, headers } = await load('/favicon.ico');
    expect([status, headers.get('content-type')]).toEqual([200, 'image/svg+xml']);
  });
});
