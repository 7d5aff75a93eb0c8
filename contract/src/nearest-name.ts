const nameMaxLength = 64;

/** Finds the known name that was probably meant, ignoring case, `_` and a missing part. */
export function findNearestName(name: string, known: readonly string[]): string | undefined {
  const given = plainName(name.slice(0, nameMaxLength));
  const ranked = known
    .map((option) => ({ option, edits: editsBetween(given, plainName(option)) }))
    .toSorted((one, other) => one.edits - other.edits);
  return ranked.find(({ edits }) => edits <= Math.max(1, given.length / 3))?.option;
}

function plainName(name: string): string {
  return name.replaceAll(/[^a-z0-9]/gi, '').toLowerCase();
}

// The Levenshtein distance, with two swapped letters as one edit; a name that is part of the other one also counts as
// one edit.
function editsBetween(given: string, option: string): number {
  if (given !== option && given.length > 2 && (option.includes(given) || given.includes(option))) return 1;
  let row = Array.from({ length: option.length + 1 }, (_, index) => index);
  let before: readonly number[] = [];
  for (const [index, letter] of [...given].entries()) {
    const next = [index + 1];
    for (const [at, other] of [...option].entries()) {
      const changed = (row[at] ?? 0) + (letter === other ? 0 : 1);
      const isSwap = at > 0 && letter === option[at - 1] && given[index - 1] === other;
      const swapped = isSwap ? (before[at - 1] ?? 0) + 1 : Number.POSITIVE_INFINITY;
      next.push(Math.min(changed, swapped, (row[at + 1] ?? 0) + 1, (next[at] ?? 0) + 1));
    }
    [before, row] = [row, next];
  }
  return row.at(-1) ?? 0;
}
