import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';

/**
 * Finds the relative links of the documents of a package (Markdown and `llms.txt`)
 * that lead out of its folder, or to what is not there. A reader of an installed
 * package has that folder only.
 */
export function findDeadLinks(folder: string): readonly string[] {
  const documents = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (name) => /(\.md|(^|[/\\])llms\.txt)$/.test(name) && !name.split(sep).includes('node_modules'),
  );
  return documents.flatMap((name) => {
    const text = withoutCode(readFileSync(join(folder, name), 'utf8'));
    return [...text.matchAll(/\]\(([^)\s]+)\)/g)]
      .map(([, link]) => link ?? '')
      .filter((link) => !/^[a-z]+:/.test(link) && !leadsSomewhere(folder, name, link))
      .map((link) => `${name}: the link ${link} leads nowhere in the package`);
  });
}

function leadsSomewhere(folder: string, name: string, link: string): boolean {
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? join(folder, name) : resolve(join(folder, dirname(name)), path);
  if (relative(folder, target).startsWith('..') || !existsSync(target)) return false;
  return anchor === undefined || headingsOf(readFileSync(target, 'utf8')).includes(anchor);
}

/** The anchors of the headings, as sites that show Markdown make them. */
function headingsOf(text: string): readonly string[] {
  return [...withoutCode(text).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

function withoutCode(text: string): string {
  return text.replaceAll(/^```.*?^```$/gms, '').replaceAll(/`[^`\n]*`/g, (code) => code.replaceAll(/[[\]()]/g, ''));
}
