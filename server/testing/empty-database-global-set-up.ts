import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { openPgliteStore } from '../src/store/open-store.ts';

let folder: string | undefined;

/** Makes the one empty database that `layEmptyDatabase` copies. */
export async function setup(project: TestProject): Promise<void> {
  folder = await mkdtemp(join(tmpdir(), 'empty-database-'));
  const place = join(folder, 'database');
  const store = await openPgliteStore(place);
  await store.ping(60_000);
  await store.close();
  project.provide('emptyDatabase', place);
}

/** Removes it. */
export async function teardown(): Promise<void> {
  if (folder !== undefined) await rm(folder, { recursive: true, force: true });
}
