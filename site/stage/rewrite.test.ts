import { describe, expect, it } from 'vitest';
import { drawDiagram } from './diagram.ts';
import { rewriteDocument } from './rewrite.ts';

describe('a document of the site', () => {
  const toPage = (link: string) => (/^[a-z]+\.md$/.test(link) ? `/docs/${link.slice(0, -3)}/` : link);

  it('has its title from the first heading', () => {
    expect(rewriteDocument('# The `agentp` client\n\nText.\n', toPage)).toEqual({
      title: 'The `agentp` client',
      body: 'Text.\n',
    });
    expect(() => rewriteDocument('Text.\n\n# Late\n', toPage)).toThrow('does not begin with a heading');
  });

  it('has changed links and images, and keeps the rest', () => {
    const text = [
      '# A',
      '[a.md](a.md) and ![b.md](b.md "a.md") and [c][c], `[d](d.md)`, <https://e.example/e.md>',
      '| [f](f.md) | a \\| b |',
      '| --- | --- |',
      '| *x* | `[g](g.md)` |',
      '',
      '[c]: c.md',
    ];
    const { body } = rewriteDocument(`${text.join('\n')}\n`, toPage);

    expect(body.split('\n')).toEqual([
      '[a.md](/docs/a/) and ![b.md](/docs/b/ "a.md") and [c][c], `[d](d.md)`, <https://e.example/e.md>',
      '| [f](/docs/f/) | a \\| b |',
      '| --- | --- |',
      '| *x* | `[g](g.md)` |',
      '',
      '[c]: /docs/c/',
      '',
    ]);
  });

  it('has drawn diagrams, which load nothing and have the colours of the page', () => {
    const { body } = rewriteDocument(
      '# A\n\n```mermaid\nflowchart TD\n  a[one & <two>] -- "x" --> b\n```\n\nEnd.\n',
      toPage,
      (_, code) => drawDiagram(code),
    );

    expect(body).toMatch(
      /^<figure class="diagram" tabindex="0" role="img" aria-label="Diagram: [^"]*"><svg .*<\/svg><\/figure>\n\nEnd\.\n$/,
    );
    expect(body).not.toMatch(/@import|https?:\/\/(?!www\.w3\.org)|<style|<two>/);
    expect(body).toContain('var(--_line)');
  });

  it('has diagrams whose element ids are unique on a page', () => {
    const ids = [1, 2].flatMap(() =>
      [...drawDiagram('flowchart TD\n a --> b').matchAll(/ id="([^"]+)"/g)].map(([, id]) => id),
    );

    expect(ids.length).toBeGreaterThan(1);
    expect(new Set(ids).size).toBe(ids.length);
  });
});
