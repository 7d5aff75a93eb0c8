import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { undefinedIfMissing } from '../platform/error-facts.ts';
import { type JournalEntry, type JournalPosition, readJournalLines } from './repository/journal-line.ts';
import type { Manifest } from './repository/manifest.ts';
import type { RequiredSigner } from './repository/repository-queries.ts';

const segmentForm = /^[0-9A-Za-z-]{1,80}\.log$/;

export function journalFolder(repository: string): string {
  return join(repository, 'journal');
}

export async function readJournalPositions(repository: string): Promise<readonly JournalPosition[]> {
  const positions: JournalPosition[] = [];
  for (const [segment, bytes] of await readSegments(repository)) {
    const { end } = readJournalLines(segment, bytes, undefined);
    positions.push({ segment, ...end });
  }
  return positions;
}

interface JournalSince {
  /** Ordered by time. */
  readonly entries: readonly JournalEntry[];
  /** The reasons why entries may be missing; empty if the journal continues from the backup without a gap. */
  readonly gaps: readonly string[];
}

/**
 * Reads the journal entries written since a backup began. A journal without later entries counts as complete, because
 * the loss of its last lines cannot be detected.
 */
export async function readJournalSince(
  repository: string,
  manifest: Manifest,
  trust: RequiredSigner,
): Promise<JournalSince> {
  const segments = await readSegments(repository);
  const entries: JournalEntry[] = [];
  const gaps = manifest.journal
    .filter(({ segment, bytes }) => (segments.get(segment)?.length ?? -1) < bytes)
    .map(({ segment }) => (segments.has(segment) ? `${segment} is truncated` : `${segment} is missing`));
  for (const [segment, bytes] of segments) {
    const known = manifest.journal.find((position) => position.segment === segment);
    const signer = trust === 'unsigned' ? undefined : trust;
    const read = readJournalLines(known?.mac ?? segment, bytes.subarray(known?.bytes ?? 0), signer);
    entries.push(...read.entries);
    if (read.isBroken) gaps.push(`${segment} contains a line that is damaged or signed with another key`);
  }
  return { entries: entries.toSorted((one, other) => Date.parse(one.at) - Date.parse(other.at)), gaps };
}

async function readSegments(repository: string): Promise<ReadonlyMap<string, Buffer>> {
  const folder = journalFolder(repository);
  const segments = new Map<string, Buffer>();
  for (const name of ((await undefinedIfMissing(readdir(folder))) ?? [])
    .filter((found) => segmentForm.test(found))
    .toSorted())
    segments.set(name, await readFile(join(folder, name)));
  return segments;
}
