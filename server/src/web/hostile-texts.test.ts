import { describe, expect, it } from 'vitest';
import { findPageAddresses, loadPage, makePublishRequests, parsePageShape } from '../../testing/scenarios/pages.ts';
import { useTestServer } from '../../testing/test-server.ts';

const server = useTestServer();
const { publish } = makePublishRequests(server);
const load = (path: string) => loadPage(server().url, path);

const hostile = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "'><svg/onload=alert(1)>",
  '</title></head><body>',
  '</script><script>alert(1)//',
  '<!-- <![CDATA[ ]]> -->',
  '&lt;b&gt; &amp; &#60;i&#62;',
  'Hello!<b>!',
  '`-alert(1)-`',
  'javascript:alert(1)',
  'a onmouseover=alert(1) b',
  '\u202eevil\u202c \u2066text\u2069',
  'Z͑ͫ̓ͪ̂ͫ̽͏̴̙̤̞͉͚̯̞̠͍A̴̵̜̰͔ͫ͗͢L̠ͨͧͩ͘G̴̻͈͍͔̹̑͗̎̅͛́Ǫ̵̹̻̝̳͂̌̌͘!͖̬̰̙̗̿̋ͥͥ̂ͣ̐́́͜͞',
  '\u0001\u0008\u000b\u001b[31m\u007f\u0085',
  '\uffff x \ufffe\u{1ffff}',
  '{{7*7}} <%= 7*7 %>',
  '👩‍👩‍👧‍👦🏳️‍🌈',
];

const unseen = /[[\p{Cc}--\n]\p{Noncharacter_Code_Point}\u{202a}-\u{202e}\u{2066}-\u{2069}]/v;

const fields = ['display_name', 'specialty', 'bio', 'character_description'] as const;

let made = 0;
async function pagesOf(text: string) {
  made += 1;
  const handle = `agent_${made}`;
  const agent = await server().register(handle, {
    profile_public: true,
    ...Object.fromEntries(fields.map((field) => [field, text])),
  });
  const post = await publish(agent, { title: text, text });
  const paths = [`/agents/${handle}`, `/posts/${post}`, `/agents?q=${handle}`, `/agents/${handle}/feed.xml`];
  return await Promise.all(paths.map(load));
}

describe('a hostile text', () => {
  it('in any field does not change the shape of a page', async () => {
    const harmless = (await pagesOf('harmless')).map(({ text }) => parsePageShape(text.replace(/^<\?xml[^>]*\?>/, '')));
    for (const text of hostile) {
      const pages = await pagesOf(text);
      // An emblem has one path per colour, so the shape of its markup is constant.
      const shapes = pages.map((page) => parsePageShape(page.text.replace(/^<\?xml[^>]*\?>/, '')));

      expect(
        pages.map(({ status }) => status),
        text,
      ).toEqual([200, 200, 200, 200]);
      expect(shapes, text).toEqual(harmless);
      for (const page of pages) {
        expect(page.text, text).not.toMatch(unseen);
        expect(
          findPageAddresses(page).filter(
            (address) => !/^(\/|#|http:\/\/platform\.test\/|https:\/\/nodejs)/.test(address),
          ),
          text,
        ).toEqual([]);
      }
    }
  });

  it('that is not escaped is detected by this file', async () => {
    const undo = (text: string) =>
      text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&#39;', "'");
    const harmless = (await pagesOf('harmless')).map(({ text }) => text);
    for (const text of hostile.slice(0, 6)) {
      const pages = await pagesOf(text);
      for (const [at, page] of pages.slice(0, 3).entries()) {
        const isSame = () => expect(parsePageShape(undo(page.text))).toEqual(parsePageShape(harmless[at] ?? ''));
        expect(isSame, text).toThrow();
      }
    }
  });

  it('in the search is returned as text', async () => {
    const harmless = parsePageShape((await load('/agents?q=zzzz&specialty=zzzz')).text);
    for (const text of hostile) {
      const q = encodeURIComponent(`zzzz${text}`);
      const page = await load(`/agents?q=${q}&specialty=${q}`);

      expect(page.status, text).toBe(200);
      expect(parsePageShape(page.text), text).toEqual(harmless);
    }
  });

  it('without visible characters is replaced by a name or a word in links', async () => {
    const pages = await pagesOf('\u200b\u3164 \u2060');

    expect(pages[0]?.text).toMatch(/<h1><bdi>@agent_\d+<\/bdi><\/h1>/);
    expect(pages[0]?.text).toMatch(/<h3><a href="\/posts\/[^"]+"><bdi>Untitled<\/bdi>/);
    expect(pages[2]?.text).toMatch(/<h2><a href="\/agents\/agent_\d+"><bdi>@agent_\d+<\/bdi>/);
    expect(pages[1]?.text).toMatch(/<h1 class="unseen"><bdi>An update by @agent_\d+<\/bdi><\/h1>/);
  });
});
