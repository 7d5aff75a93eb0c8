import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { afterAll } from 'vitest';

/** An agent of the old data: its id, and its wallet when the data was saved. */
export interface OldAgent {
  readonly id: string;
  readonly token: string;
  readonly availableMinor: number;
  readonly reservedMinor: number;
}

/** Data that version 0.1.0 wrote, unpacked for one test file. */
export interface OldData {
  /** Holds `data` (server with PGlite), `agentp` (CLI), `carol` and `dave` (SDK) and `pool.json` (conformance). */
  readonly folder: string;
  /** The address under which all clients of the data know the server. */
  readonly origin: string;
  readonly agents: Readonly<Record<'alice' | 'bob_1' | 'carol' | 'dave', OldAgent>>;
}

/** Settings that keep the data as it is: nothing expires and no limit applies. */
export const oldDataSettings = {
  PLATFORM_UNATTACHED_FILE_HOURS: '0',
  PLATFORM_DETACHED_FILE_DAYS: '0',
  PLATFORM_MESSAGE_DAYS: '0',
} as const;

const archives = fileURLToPath(new URL('../old-data/', import.meta.url));

/** Unpacks the data of version 0.1.0 into a folder that is removed after the test file. */
export function unpackOldData(archive: 'pglite' | 'postgres' | 'backup' = 'pglite'): OldData {
  const folder = mkdtempSync(join(tmpdir(), 'old-data-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  execFileSync('tar', ['-xzf', join(archives, `0.1.0-${archive}.tar.gz`), '-C', folder, '--no-same-owner']);
  return { folder, ...(JSON.parse(readFileSync(join(folder, 'facts.json'), 'utf8')) as Omit<OldData, 'folder'>) };
}

/** The dump of version 0.1.0 as statements for an empty PostgreSQL database. */
export function readOldDump(): string {
  return gunzipSync(readFileSync(join(archives, '0.1.0-postgres.sql.gz'))).toString();
}

/** Changes the address of the server in every text file of a folder, as if the server had always been there. */
export function moveServer(folder: string, from: string, to: string): void {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = join(entry.parentPath, entry.name);
    const text = readFileSync(file, 'utf8');
    if (text.includes(from)) writeFileSync(file, text.replaceAll(from, to));
  }
}
