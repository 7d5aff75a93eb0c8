import { toAnchor } from './split-document.ts';
import type { SdkPage } from './staged.ts';

const mostCharacters = 30_000;

export function splitClientPage(pages: readonly SdkPage[]): readonly SdkPage[] {
  const client = pages.find(({ name }) => name === 'client');
  if (client === undefined) return pages;
  const own = groupSections(client.body.split(/^(?=## )/m));
  const pageOf = new Map(own.flatMap(({ name, body }) => anchorsOf(body).map((anchor) => [anchor, name])));
  const others = pages.filter((page) => page !== client);
  return [
    ...own.map((page) => ({
      ...page,
      body: relink(page.body, /\[([^\]]*)\]\((?:\.\/client\.md)?#([\w-]+)\)/g, pageOf),
    })),
    ...others.map((page) => ({ ...page, body: relink(page.body, /\[([^\]]*)\]\(\.\/client\.md#([\w-]+)\)/g, pageOf) })),
  ];
}

/** Updates links to moved sections; a link to an unknown section becomes plain text. */
function relink(body: string, links: RegExp, pageOf: ReadonlyMap<string, string>): string {
  return body.replaceAll(links, (_, text: string, anchor: string) => {
    const section = pageOf.has(anchor) ? anchor : anchor.replace(/-\d+$/, '');
    const name = pageOf.get(section);
    return name === undefined ? text : `[${text}](./${name}.md#${section})`;
  });
}

function groupSections(sections: readonly string[]): readonly SdkPage[] {
  const nameOf = (section: string) => /^## (?:`abstract` )?(.*)$/m.exec(section)?.[1] ?? '';
  const kindOf = (section: string): 'client' | 'errors' | 'functions' | 'types' => {
    const name = nameOf(section);
    if (name.endsWith('Error')) return 'errors';
    if (/^[a-z]/.test(name)) return 'functions';
    return name === '' || section.includes('\n### Constructors\n') ? 'client' : 'types';
  };
  const groups = Map.groupBy(sections, kindOf);
  const join = (kind: 'client' | 'errors' | 'functions') => (groups.get(kind) ?? []).join('');
  return [
    { name: 'client', title: 'Client and classes', body: join('client') },
    { name: 'errors', title: 'Errors', body: join('errors') },
    { name: 'functions', title: 'Functions', body: join('functions') },
    ...splitTypes((groups.get('types') ?? []).toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1))),
  ];

  function splitTypes(types: readonly string[]): readonly SdkPage[] {
    const chunks: string[][] = [[]];
    for (const type of types) {
      const last = chunks.at(-1) ?? [];
      if (last.join('').length + type.length > mostCharacters) chunks.push([type]);
      else last.push(type);
    }
    return chunks.map((chunk) => {
      const [from, to] = [nameOf(chunk[0] ?? ''), nameOf(chunk.at(-1) ?? '')];
      return { name: `types-${from.toLowerCase()}`, title: `Types: ${from} to ${to}`, body: chunk.join('') };
    });
  }
}

function anchorsOf(body: string): readonly string[] {
  return [...body.matchAll(/^## (.+)$/gm)].map(([, heading = '']) => toAnchor(heading));
}
