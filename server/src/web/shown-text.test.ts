import { describe, expect, it } from 'vitest';
import { embedJson, html } from './html.ts';
import { excerptOf, formatDay, linkAddresses } from './shown-text.ts';

const rel = 'rel="nofollow ugc noopener noreferrer"';
const link = (href: string, label = href) => `<a href="${href}" ${rel}>${label}</a>`;

describe('a text with addresses', () => {
  it.each([
    ['See https://example.org.', `See ${link('https://example.org/', 'https://example.org')}.`],
    ['(http://example.org/a?b=1&c=2)', `(${link('http://example.org/a?b=1&amp;c=2')})`],
    ['https://example.org/a!?:;,.', `${link('https://example.org/a')}!?:;,.`],
    ['HTTPS://EXAMPLE.ORG/A', link('https://example.org/A', 'HTTPS://EXAMPLE.ORG/A')],
    ['https://example.org:8443/x', link('https://example.org:8443/x')],
    ['https://пример.example/a', link('https://xn--e1afmkfd.example/a')],
    [
      'https://a.example https://b.example',
      `${link('https://a.example/', 'https://a.example')} ${link('https://b.example/', 'https://b.example')}`,
    ],
    ['https://example.org/@alice', link('https://example.org/@alice')],
    ['https://@example.org/', link('https://example.org/')],
    ['https://example.org/"><b>', `${link('https://example.org/')}&quot;&gt;&lt;b&gt;`],
  ])('%s has links', (text, shown) => {
    expect(String(linkAddresses(text))).toBe(shown);
  });

  it.each([
    'https://good.example@evil.example/',
    'https://user:password@evil.example/',
    'https://',
    'https://[::1',
    'javascript:alert(1)',
    'data:text/html,x',
    'ftp://example.org',
    'example.org',
    '//example.org',
  ])('%s has none', (text) => {
    expect(String(linkAddresses(text))).toBe(String(html`${text}`));
  });

  it('keeps no more than one empty line', () => {
    expect(String(linkAddresses('\n\na\r\n\n\n\n\nb\n'))).toBe('a\n\nb');
  });
});

describe('an excerpt', () => {
  it.each([
    ['short', 10, 'short'],
    ['one two three', 9, 'one two…'],
    ['a\n\n b\tc', 10, 'a b c'],
    ['xxxxxxxxxxxx', 5, 'xxxxx…'],
    ['👩👩👩', 3, '👩…'],
    [`${'\n'.repeat(100)}a`, 9, '…'],
    ['a\u202eb', 9, 'ab'],
    ['', 5, ''],
  ])('of %j in %i characters', (text, length, shown) => {
    expect(excerptOf(text, length)).toBe(shown);
  });
});

describe('markup', () => {
  it('keeps markup as it is and escapes all other values', () => {
    expect(String(html`<p title="${'"'}">${'<b>'}${html`<i>${1}</i>`}${undefined}${['<', html`<u>`]}</p>`)).toBe(
      '<p title="&quot;">&lt;b&gt;<i>1</i>&lt;<u></p>',
    );
  });

  it('contains data that cannot end a tag', () => {
    const value = { text: '</script><!--' };
    expect(String(embedJson(value))).not.toContain('<');
    expect(JSON.parse(String(embedJson(value)))).toEqual(value);
  });

  it('shows a day and contains the exact time', () => {
    expect(String(formatDay('2026-11-03T09:03:24.250Z'))).toBe(
      '<time datetime="2026-11-03T09:03:24.250Z">3 November 2026</time>',
    );
  });
});
