import { createHash } from 'node:crypto';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { makeTestFolder } from '@agent-platform/testing/test-folder';
import fastify from 'fastify';
import { describe, expect, it } from 'vitest';
import { openTestServer, startTestServer, useTestServer } from '../testing/test-server.ts';
import { mountDocsSite, openDocsSite } from './docs-site-routes.ts';

const policy = "default-src 'none'; script-src 'self' 'sha256-AAAA'";
const pages = {
  'index.html': '<h1>Front</h1>',
  '404.html': '<h1>No such page</h1>',
  'guides/order/index.html': '<h1>Order</h1>',
  'guides/order.md': '# Order\n[Front](/docs/)\n',
  '_astro/page.Ab3_x.css': 'body { color: red }',
  'pagefind/pagefind.js': 'export {}',
};
const folder = makeTestFolder();

function describeFile(content: string) {
  return { size: content.length, sha256: createHash('sha256').update(content).digest('hex') };
}

/** `listed` contains additional entries of the manifest. */
function buildSite(name: string, listed: Readonly<Record<string, object>> = {}): string {
  const root = join(folder, name);
  for (const [path, content] of Object.entries(pages)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
  const files = Object.fromEntries(Object.entries(pages).map(([path, content]) => [path, describeFile(content)]));
  writeFileSync(join(root, 'manifest.json'), JSON.stringify({ policy, files: { ...files, ...listed } }));
  return root;
}

/** Returns a function that requests a path; `known` is the ETag of a cached version. */
function serve(root: string) {
  const http = fastify();
  mountDocsSite(http, openDocsSite(root, []), () => 'https://agents.example.org');
  return async (path: string, known?: string, accept?: string) => {
    const {
      statusCode: status,
      headers,
      body,
    } = await http.inject({
      url: path,
      headers: {
        ...(known === undefined ? {} : { 'if-none-match': known }),
        ...(accept === undefined ? {} : { accept }),
      },
    });
    return { status, headers, text: body };
  };
}

describe('the files of a built site', () => {
  const read = serve(buildSite('site'));

  it('are served as pages with the policy of the build', async () => {
    const page = await read('/docs/guides/order/');

    expect(page.status).toBe(200);
    expect(page.text).toBe('<h1>Order</h1>');
    expect(page.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': policy,
      'cache-control': 'public, no-cache',
    });
  });

  it('are cached permanently if their names change with their content', async () => {
    const styles = await read('/docs/_astro/page.Ab3_x.css');

    expect(styles.headers).toMatchObject({
      'content-type': 'text/css; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
    });
    expect(styles.headers).not.toHaveProperty('content-security-policy');
    expect((await read('/docs/pagefind/pagefind.js')).headers['cache-control']).toBe('public, no-cache');
  });

  it('are not sent again to a client that has them', async () => {
    const { headers } = await read('/docs/guides/order.md');
    const etag = headers['etag'];

    expect(await read('/docs/guides/order.md', `"other", W/${etag}`)).toMatchObject({ status: 304, text: '' });
    expect(await read('/docs/guides/order.md', '"other"')).toMatchObject({ status: 200 });
  });

  it('are sent as Markdown with absolute links to a client that prefers Markdown', async () => {
    const markdown = await read('/docs/guides/order/', undefined, 'text/markdown, text/html;q=0.9');

    expect(markdown.text).toBe('# Order\n[Front](https://agents.example.org/docs/)\n');
    expect(markdown.headers).toMatchObject({ 'content-type': 'text/markdown; charset=utf-8', vary: 'accept' });
    for (const accept of ['text/html, text/markdown', '*/*']) {
      expect((await read('/docs/guides/order/', undefined, accept)).text).toBe('<h1>Order</h1>');
    }
    expect((await read('/docs/', undefined, 'text/markdown')).text).toBe('<h1>Front</h1>');
  });

  it('are found without the slash at the end of their path', async () => {
    expect(await read('/docs')).toMatchObject({ status: 308, headers: { location: '/docs/' } });
    expect(await read('/docs/guides/order')).toMatchObject({
      status: 308,
      headers: { location: '/docs/guides/order/' },
    });
    expect(await read('/docs/')).toMatchObject({ status: 200, text: '<h1>Front</h1>' });
  });

  it('are served only if the manifest lists them', async () => {
    writeFileSync(join(folder, 'site', 'private.txt'), 'private');
    writeFileSync(join(folder, 'outside.txt'), 'outside');
    const paths = [
      'private.txt',
      'manifest.json',
      '..%2Foutside.txt',
      'guides/..%2F..%2Foutside.txt',
      'guides',
      'constructor',
    ];
    for (const path of [...paths, 'guides/order/index.html/', '//', '%00']) {
      const { status, text, headers } = await read(`/docs/${path}`);
      expect({ path, status, text }).toEqual({ path, status: 404, text: '<h1>No such page</h1>' });
      expect(headers['content-security-policy']).toBe(policy);
      expect(headers).not.toHaveProperty('etag');
    }
  });

  it('are not served after a change, or through a symbolic link', async () => {
    const root = buildSite('changed', { 'linked.txt': describeFile('outside'), 'linked/a.txt': describeFile('a') });
    const changed = serve(root);
    writeFileSync(join(root, 'guides/order.md'), '# Other\n');
    writeFileSync(join(folder, 'outside.txt'), 'outside');
    symlinkSync(join(folder, 'outside.txt'), join(root, 'linked.txt'));
    mkdirSync(join(folder, 'linked'));
    writeFileSync(join(folder, 'linked/a.txt'), 'a');
    symlinkSync(join(folder, 'linked'), join(root, 'linked'));

    for (const path of ['guides/order.md', 'linked.txt', 'linked/a.txt']) {
      expect((await changed(`/docs/${path}`)).status, path).toBe(404);
    }
  });
});

describe('the folder of a site', () => {
  it('may be reached through a symbolic link', async () => {
    symlinkSync(buildSite('real'), join(folder, 'link'));

    expect((await serve(join(folder, 'link'))('/docs/')).status).toBe(200);
  });

  it('is refused when it shares files with a folder of the server', () => {
    const root = buildSite('data/site');
    const linked = join(folder, 'other-name');
    symlinkSync(join(folder, 'data'), linked);

    for (const own of [root, join(folder, 'data'), linked, join(root, 'files'), folder]) {
      expect(() => openDocsSite(root, [own]), own).toThrow(
        /overlaps .*a folder of the server. Move the site out of it/,
      );
    }
    expect(() => openDocsSite(root, [join(folder, 'data-2'), join(folder, 'data/site-2')])).not.toThrow();
  });

  it.each([
    ['without a manifest', undefined],
    ['that is no JSON', '{'],
    ['without files', JSON.stringify({ policy })],
    ['without a page for missing pages', JSON.stringify({ policy, files: {} })],
    [
      'with a path that leads out',
      JSON.stringify({ policy, files: { '404.html': describeFile(''), '../a': describeFile('') } }),
    ],
    ['with a file without a hash', JSON.stringify({ policy, files: { '404.html': { size: 1 } } })],
    [
      'with a policy of two lines',
      JSON.stringify({ policy: `${policy}\r\na: b`, files: { '404.html': describeFile('') } }),
    ],
  ])('is refused when it has a manifest %s', (name, manifest) => {
    const root = join(folder, `refused-${name.replaceAll(' ', '-')}`);
    mkdirSync(root);
    if (manifest !== undefined) writeFileSync(join(root, 'manifest.json'), manifest);

    expect(() => openDocsSite(root, [])).toThrow('is not a built documentation site. Run "npm run docs -- --build"');
  });
});

describe('a server', () => {
  const server = useTestServer({ PLATFORM_DOCS_DIR: buildSite('served') }, 'embedded');

  it('serves the site below /docs, to GET and HEAD', async () => {
    const page = await fetch(`${server().url}/docs/guides/order/?q=1`);
    const head = await fetch(`${server().url}/docs/guides/order/`, { method: 'HEAD' });

    expect(await page.text()).toBe('<h1>Order</h1>');
    expect(page.headers.get('x-content-type-options')).toBe('nosniff');
    expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([200, '14', '']);
    expect((await fetch(`${server().url}/docs`, { redirect: 'manual' })).headers.get('location')).toBe('/docs/');
    expect((await fetch(`${server().url}/docs/none`)).headers.get('content-type')).toBe('text/html; charset=utf-8');
  });

  it('answers every other path as it would without a site', async () => {
    for (const [method, path] of [
      ['GET', '/docsite'],
      ['POST', '/docs/'],
      ['GET', '/api/v1/docs'],
    ] as const) {
      expect(await server().request(method, path), path).toMatchObject({
        status: 404,
        body: { error: { code: 'not_found' } },
      });
    }
  });

  it('has no site without the setting', async () => {
    const plain = await openTestServer({}, 'embedded');

    expect(await plain.request('GET', '/docs/')).toMatchObject({ status: 404, body: { error: { code: 'not_found' } } });
  });

  it('does not start with a site inside its data folder', async () => {
    const dataDir = join(folder, 'data');
    buildSite('data/own');

    await expect(
      startTestServer({ PLATFORM_DATA_DIR: dataDir, PLATFORM_DOCS_DIR: join(dataDir, 'own') }, 'embedded'),
    ).rejects.toThrow('overlaps');
  });
});
