import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { BadgeReport } from '../../src/reports/badge.ts';

const folder = fileURLToPath(new URL('../../../results/', import.meta.url));

export interface PublishedResult {
  readonly server: string;
  readonly version: string;
  readonly folder: string;
  readonly report: BadgeReport & { readonly suite_version: string; readonly started_at: string };
  readonly badge: { readonly message: string };
}

/** Reads every published result, sorted by server and version. */
export function readPublishedResults(): readonly PublishedResult[] {
  if (!existsSync(folder)) return [];
  const foldersIn = (path: string) =>
    readdirSync(path, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));
  return foldersIn(folder)
    .toSorted()
    .flatMap((server) =>
      foldersIn(join(folder, server))
        .toSorted()
        .map((version) => {
          const own = join(folder, server, version);
          const read = (name: string) => JSON.parse(readFileSync(join(own, name), 'utf8'));
          return { server, version, folder: own, report: read('report.json'), badge: read('badge.json') };
        }),
    );
}
