import { type PdfValue, valuesOf } from './pdf-lexer.ts';
import type { PdfObjects } from './pdf-objects.ts';

// Deeper than any real page tree; what hides pages below counts as too many.
const depthMax = 64;

/**
 * Counts the leaves of the page tree, whatever `/Count` claims (D-39), and stops
 * counting beyond `max`. Where an object is defined more than once the larger
 * tree counts; a page that stands in the tree twice is two pages.
 */
export function countPages(objects: PdfObjects, max: number): number {
  const known = new Map<number, number>();
  let most = 0;
  for (const root of findRoots(objects)) most = Math.max(most, countLeaves(root, 0));
  return most;

  function countLeaves(value: PdfValue, depth: number): number {
    if (depth > depthMax) return max + 1;
    if (value.kind !== 'reference') return countIn(value, depth);
    const counted = known.get(value.number);
    if (counted !== undefined) return counted;
    // Until it is counted, a node that leads back to itself adds nothing.
    known.set(value.number, 0);
    const count = Math.max(0, ...objects.resolve(value).map((node) => countIn(node, depth)));
    known.set(value.number, count);
    return count;
  }

  function countIn(node: PdfValue, depth: number): number {
    if (node.kind !== 'dictionary') return 0;
    const kids = objects.resolveMember(node, 'Kids');
    if (kids.length === 0) return 1;
    return Math.max(0, ...kids.map((list) => (list.kind === 'array' ? sum(list.items, depth) : 0)));
  }

  function sum(kids: readonly PdfValue[], depth: number): number {
    let total = 0;
    for (const kid of kids) {
      total += countLeaves(kid, depth + 1);
      if (total > max) return max + 1;
    }
    return total;
  }
}

function findRoots(objects: PdfObjects): PdfValue[] {
  return objects.all.flatMap(({ value }) => (value.kind === 'dictionary' ? valuesOf(value, 'Pages') : []));
}
