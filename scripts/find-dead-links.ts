import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';

/**
 * Finds relative links in a package's documents (Markdown and `llms.txt`) that point to missing files or outside the
 * package's folder, because readers of an installed package only have that folder.
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
      .map((link) => `${name}: the link ${link} has no target in the package`);
  });
}

function leadsSomewhere(folder: string, name: string, link: string): boolean {
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? join(folder, name) : resolve(join(folder, dirname(name)), path);
  if (relative(folder, target).startsWith('..') || !existsSync(target)) return false;
  return anchor === undefined || headingsOf(readFileSync(target, 'utf8')).includes(anchor);
}

/** Anchors in the form that sites generate for Markdown headings. */
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
