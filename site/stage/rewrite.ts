import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';
import { visit } from 'unist-util-visit';

interface Change {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

export interface RewrittenDocument {
  /** Markdown. */
  readonly title: string;
  readonly body: string;
}

/**
 * Rewrites the destinations of links and images, and code blocks. All other bytes stay unchanged, because the document
 * is only parsed to find these places.
 */
export function rewriteDocument(
  text: string,
  changeLink: (destination: string) => string,
  changeCode: (language: string, code: string) => string | undefined = () => undefined,
): RewrittenDocument {
  const tree = fromMarkdown(text, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] });
  const changes: Change[] = [];
  const note = (from: number, to: number, replacement: string) => changes.push({ from, to, text: replacement });
  visit(tree, (node) => {
    const from = node.position?.start.offset ?? 0;
    const to = node.position?.end.offset ?? 0;
    if (node.type === 'link' || node.type === 'image' || node.type === 'definition') {
      const changed = changeLink(node.url);
      // The last match is the destination, because the label comes before it.
      const at = text.lastIndexOf(node.url, to);
      if (changed !== node.url && at >= from) note(at, at + node.url.length, changed);
    }
    if (node.type === 'code') {
      const changed = changeCode(node.lang ?? '', node.value);
      if (changed !== undefined) note(from, to, changed);
    }
  });
  const [first] = tree.children;
  if (first?.type !== 'heading' || first.depth !== 1) throw new Error('The document does not begin with a heading.');
  const start = first.position?.end.offset ?? 0;
  const title = text.slice(first.children[0]?.position?.start.offset ?? 0, start).trim();
  return { title, body: apply(text, start, changes) };
}

function apply(text: string, start: number, changes: readonly Change[]): string {
  const ordered = changes.toSorted((a, b) => a.from - b.from);
  let done = start;
  let result = '';
  for (const change of ordered) {
    if (change.from < done) continue;
    result += text.slice(done, change.from) + change.text;
    done = change.to;
  }
  return (result + text.slice(done)).trimStart();
}
