import { cpSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { makeBackupKey } from '../../src/backup/repository/key-queries.ts';
import { type Manifest, signedManifestText } from '../../src/backup/repository/manifest.ts';
import { sha256 } from '../../src/platform/crypto.ts';

export function copyRepository(repository: string, change: (copied: string) => void): string {
  const copied = mkdtempSync(join(dirname(repository), 'copy-'));
  cpSync(repository, copied, { recursive: true });
  change(copied);
  return copied;
}

/** The change invalidates the signature of the manifest. */
export function changeManifest(folder: string, change: (manifest: Manifest) => Manifest): void {
  const path = join(folder, 'manifest.json');
  writeFileSync(path, JSON.stringify(change(JSON.parse(readFileSync(path, 'utf8')) as Manifest)));
}

export function signManifest(manifest: Manifest, secret: string): Manifest {
  const own = { ...manifest, key_id: makeBackupKey(secret).id };
  return { ...own, mac: makeBackupKey(secret).sign(signedManifestText(own)) };
}

/** Changes the rows of a table and updates every hash, as an attacker without the key could. */
export function forgeTable(folder: string, table: string, change: (rows: string) => string): void {
  const path = join(folder, 'tables', `${table}.copy.gz`);
  const forged = gzipSync(change(gunzipSync(readFileSync(path)).toString()));
  writeFileSync(path, forged);
  const digest = { bytes: forged.length, sha256: sha256(forged) };
  changeManifest(folder, (manifest) => ({
    ...manifest,
    tables: manifest.tables.map((found) => (found.name === table ? { ...found, ...digest } : found)),
  }));
}

export function flipBit(path: string): void {
  const bytes = readFileSync(path);
  const at = Math.floor(bytes.length / 2);
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  writeFileSync(path, bytes);
}

/** Returns the paths of the stored files that the backups in a folder share. */
export function listStoredFiles(repository: string): readonly string[] {
  return readdirSync(join(repository, 'files'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
