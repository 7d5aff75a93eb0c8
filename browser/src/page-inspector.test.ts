import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useInspector } from '../testing/inspector.ts';
import { makePage, serveTexts } from '../testing/server-of-texts.ts';

const heading = '<h1>A page</h1>';
const policy = `<meta http-equiv="Content-Security-Policy" content="img-src 'none'">`;
const narrowOnly = '<style>@media (width > 600px) { .narrow { display: none } }</style>';
const darkPadding = '<style>@media (prefers-color-scheme: dark) { p { padding: 9px } }</style>';
const button = '<button style="width:9px;height:9px;padding:0" aria-label="a"></button>';
const texts = {
  '/': makePage(`${heading}<p>Text and <a href="/">a link</a>.</p>`),
  '/messages': makePage(
    `${heading}<script>console.log('hello')</script><script>throw new Error('oops')</script><img src="/a.png" alt="">`,
  ),
  '/policy': makePage(`${heading}<img src="/a.png" alt="">`, policy),
  '/style': makePage(
    `${heading}<img src="data:,"><input class="narrow"><p style="color: light-dark(#000, #444)">Dark on dark</p>${button}${button}<div style="width: 600px">Wide</div>`,
    narrowOnly + darkPadding,
  ),
  '/focus': makePage(
    `${heading}<a href="/1" style="outline: none">First</a> <a href="/2" tabindex="1">Second</a> <a href="/3" tabindex="-1">Third</a>`,
  ),
  '/harmless': makePage(`${heading}<p title="a">Text</p>`),
  '/other-text': makePage(`${heading}<p title="b">Other text</p>`),
  '/other-shape': makePage(`${heading}<p title="a">Text<b></b></p>`),
};
const faultsOf: Readonly<Record<string, readonly string[]>> = {
  '/messages': ['log: hello', 'script: oops', 'error: Failed to load resource'],
  '/policy': ['policy: img-src blocks'],
  '/style': [
    '1100 px, light: image-alt at img',
    '360 px, light: label at input',
    '1100 px, dark: color-contrast at p',
    '1100 px: the dark scheme has a different layout',
    'target-size at button',
    '360 px: wider than the window: 608 px (div.)',
  ],
  '/focus': [
    'the focus of a "First" is invisible',
    'a "Second" has a place of its own in the order of Tab',
    'Tab omits a "Third"',
  ],
};

let server: Awaited<ReturnType<typeof serveTexts>>;

beforeAll(async () => {
  server = await serveTexts(texts);
});
afterAll(() => server?.close());
const { inspector } = useInspector();

describe('the inspection of a page', () => {
  it('finds nothing wrong with a good page', async () => {
    expect(await inspector().inspect(`${server.url}/`)).toEqual([]);
  });

  it.each(Object.entries(faultsOf))('finds each fault of %s', async (path, faults) => {
    const found = await inspector().inspect(`${server.url}${path}`);

    for (const fault of faults) expect(found).toContainEqual(expect.stringContaining(fault));
  });

  it('has no data of the previous page', async () => {
    await inspector().inspect(`${server.url}/messages`);
    expect(await inspector().inspect(`${server.url}/`)).toEqual([]);
  });

  it('expects the given status', async () => {
    expect(await inspector().inspect(`${server.url}/none`)).toContain('responds with 404 instead of 200');
    expect(await inspector().inspect(`${server.url}/none`, { status: 404 })).toEqual([]);
  });

  it('compares outlines without texts', async () => {
    const shape = await inspector().readShape(`${server.url}/harmless`);

    expect(await inspector().readShape(`${server.url}/other-text`)).toBe(shape);
    expect(await inspector().readShape(`${server.url}/other-shape`)).not.toBe(shape);
  });
});
