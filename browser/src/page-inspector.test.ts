import type { Browser } from 'playwright';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { frame, serveTexts } from '../testing/server-of-texts.ts';
import { openBrowser } from './open-browser.ts';
import { openPageInspector, type PageInspector } from './page-inspector.ts';

const heading = '<h1>A page</h1>';
const policy = `<meta http-equiv="Content-Security-Policy" content="img-src 'none'">`;
const faulty: Readonly<Record<string, readonly [fault: string, text: string]>> = {
  '/console': ['log: hello', frame(`${heading}<script>console.log('hello')</script>`)],
  '/script': ['script: oops', frame(`${heading}<script>throw new Error('oops')</script>`)],
  '/policy': ['policy: img-src blocks', frame(`${heading}<img src="/a.png" alt="">`, policy)],
  '/missing-picture': ['error: Failed to load resource', frame(`${heading}<img src="/a.png" alt="">`)],
  '/axe': ['1100 px, light: image-alt at img', frame(`${heading}<img src="data:,">`)],
  '/narrow-axe': [
    '360 px, light: image-alt at img',
    frame(`${heading}<img src="data:,">`, '<style>@media (width > 600px) { img { display: none } }</style>'),
  ],
  '/dark-contrast': [
    '1100 px, dark: color-contrast at p',
    frame(`${heading}<p style="color: light-dark(#000, #444)">Dark on dark</p>`),
  ],
  '/dark-layout': [
    '1100 px: the layout in the dark scheme differs',
    frame(`${heading}<p>More</p>`, '<style>@media (prefers-color-scheme: dark) { p { padding: 9px } }</style>'),
  ],
  '/small-target': [
    'target-size',
    frame(
      `${heading}<button style="width:9px;height:9px;padding:0" aria-label="a"></button><button style="width:9px;height:9px;padding:0" aria-label="b"></button>`,
    ),
  ],
  '/overflow': [
    '360 px: wider than the window: 608 px (div.)',
    frame(`${heading}<div style="width: 600px">Wide</div>`),
  ],
  '/hidden-focus': [
    'the focus of a "A link" is invisible',
    frame(`${heading}<a href="/" style="outline: none">A link</a>`),
  ],
  '/order': [
    'a "Second" has a place of its own in the order of Tab',
    frame(`${heading}<a href="/1">First</a> <a href="/2" tabindex="1">Second</a>`),
  ],
  '/unreachable': ['Tab omits a "A link"', frame(`${heading}<a href="/" tabindex="-1">A link</a>`)],
};

let browser: Browser;
let inspector: PageInspector;
let server: Awaited<ReturnType<typeof serveTexts>>;

beforeAll(async () => {
  const texts = Object.fromEntries(Object.entries(faulty).map(([path, [, text]]) => [path, text]));
  server = await serveTexts({
    ...texts,
    '/': frame(`${heading}<p>Text and <a href="/">a link</a>.</p>`),
    '/harmless': frame(`${heading}<p title="a">Text</p>`),
    '/other-text': frame(`${heading}<p title="b">Other text</p>`),
    '/other-shape': frame(`${heading}<p title="a">Text<b></b></p>`),
  });
  browser = await openBrowser();
  inspector = await openPageInspector(browser);
});
afterAll(async () => {
  await browser?.close();
  await server?.close();
});

describe('the inspection of a page', () => {
  it('finds nothing wrong with a good page', async () => {
    expect(await inspector.inspect(`${server.url}/`)).toEqual([]);
  });

  it.each(Object.entries(faulty))('finds the fault of %s', async (path, [fault]) => {
    expect(await inspector.inspect(`${server.url}${path}`)).toContainEqual(expect.stringContaining(fault));
  });

  it('remembers nothing of the page before', async () => {
    await inspector.inspect(`${server.url}/console`);
    expect(await inspector.inspect(`${server.url}/`)).toEqual([]);
  });

  it('expects the status that it is told', async () => {
    expect(await inspector.inspect(`${server.url}/none`)).toContain('answers with 404 instead of 200');
    expect(await inspector.inspect(`${server.url}/none`, { status: 404 })).toEqual([]);
  });

  it('compares shapes without texts', async () => {
    const shape = await inspector.readShape(`${server.url}/harmless`);

    expect(await inspector.readShape(`${server.url}/other-text`)).toBe(shape);
    expect(await inspector.readShape(`${server.url}/other-shape`)).not.toBe(shape);
  });
});
