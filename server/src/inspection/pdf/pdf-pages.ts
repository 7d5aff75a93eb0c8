import { FileFault } from '../verdict.ts';
import { findDictionaryValues, type PdfValue } from './pdf-lexer.ts';
import { isTrailer, type PdfObjects } from './pdf-objects.ts';

// This is far above the 400 nodes of a chain of 200 pages, and is reached in a fraction of a second.
const visitsMax = 1_000_000;

/**
 * Counts the leaves of the page tree, ignoring `/Count` (§5.18); stops counting beyond `max`. A page that
 * occurs twice in the tree is counted twice.
 */
export function countPages(objects: PdfObjects, max: number): number {
  let leaves = 0;
  // The ancestors of the visited node, so that nodes in a cycle are not visited again.
  const above = new Set<number>();
  const waiting: (PdfValue | { readonly kind: 'done'; readonly number: number })[] = findPdfRoots(objects)
    .flatMap((root) => objects.resolve(root))
    .flatMap((catalog) => membersOf(catalog, 'Pages'));
  for (let visits = 0; leaves <= max; visits += 1) {
    const node = waiting.pop();
    if (node === undefined) break;
    if (visits > visitsMax) throw new FileFault('too_costly');
    if (node.kind === 'done') above.delete(node.number);
    else if (node.kind === 'reference' && !above.has(node.number)) {
      above.add(node.number);
      waiting.push({ kind: 'done', number: node.number }, ...objects.resolve(node));
    } else if (node.kind === 'dictionary') {
      const kids = objects.resolveMember(node, 'Kids');
      if (kids.length === 0) leaves += 1;
      for (const list of kids) if (list.kind === 'array') for (const kid of list.items) waiting.push(kid);
    }
  }
  return leaves;
}

/** Returns the roots that the trailers of a document refer to, without duplicates. */
export function findPdfRoots(objects: PdfObjects): PdfValue[] {
  const roots = objects.all.filter(isTrailer).flatMap(({ value }) => membersOf(value, 'Root'));
  return [...new Map(roots.map((root) => [JSON.stringify(root), root])).values()];
}

function membersOf(value: PdfValue, key: string): PdfValue[] {
  return value.kind === 'dictionary' ? findDictionaryValues(value, key) : [];
}
