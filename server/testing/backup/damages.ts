import { rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Manifest } from '../../src/backup/repository/manifest.ts';
import { changeManifest, flipBit, forgeTable, listStoredFiles, signManifest } from './repository-copies.ts';

/** `folder` is a backup in `copied`, which is a copy of the backup folder; `secret` is the key that signed it. */
interface Place {
  readonly folder: string;
  readonly copied: string;
  readonly secret: string;
}

/** A change to a backup, with the code and message of the expected error. */
type Damage = readonly [what: string, code: string, reason: RegExp, change: (place: Place) => void];

const wallets = (folder: string) => join(folder, 'tables', 'wallets.copy.gz');
const manifestOf = (folder: string) => join(folder, 'manifest.json');
const objectOf = (copied: string) => listStoredFiles(copied)[0] ?? '';

function resign({ folder, secret }: Place, change: (manifest: Manifest) => Manifest): void {
  changeManifest(folder, (manifest) => signManifest(change(manifest), secret));
}

export function forgeCredit(folder: string): void {
  forgeTable(folder, 'wallets', (rows) => rows.replace('\t98900\t', '\t99000\t'));
}

export const damageCases: readonly Damage[] = [
  ['a changed table', 'backup_damaged', /SHA-256 of tables\/wallets/, ({ folder }) => flipBit(wallets(folder))],
  ['a truncated table', 'backup_damaged', /wallets.* has 3 bytes/, ({ folder }) => truncateSync(wallets(folder), 3)],
  ['a lost table', 'backup_damaged', /wallets.* is missing/, ({ folder }) => rmSync(wallets(folder))],
  ['a changed file', 'backup_damaged', /SHA-256 of the file/, ({ copied }) => flipBit(objectOf(copied))],
  ['a truncated file', 'backup_damaged', /the file .* has 9 bytes/, ({ copied }) => truncateSync(objectOf(copied), 9)],
  ['a lost file', 'backup_damaged', /the file .* is missing/, ({ copied }) => rmSync(objectOf(copied))],
  ['a truncated manifest', 'backup_damaged', /truncated/, ({ folder }) => writeFileSync(manifestOf(folder), '{"form')],
  [
    'a manifest of a later format',
    'backup_newer',
    /has format 2/,
    ({ folder }) => writeFileSync(manifestOf(folder), '{"format":2}'),
  ],
  ['a forged backup', 'backup_forged', /signature/, ({ folder }) => forgeCredit(folder)],
  [
    'the manifest of another backup',
    'backup_damaged',
    /manifest\.json/,
    (place) => resign(place, (manifest) => ({ ...manifest, name: '000009-20261123T000000Z' })),
  ],
  [
    'a backup that was signed with another key',
    'backup_key_missing',
    /signed with the key/,
    (place) => resign({ ...place, secret: 'ab'.repeat(32) }, (manifest) => manifest),
  ],
  [
    'a backup of a later version',
    'backup_newer',
    /schema this version does not know/,
    (place) => resign(place, (manifest) => ({ ...manifest, migrations: [...manifest.migrations, '9999-later'] })),
  ],
  [
    'a backup for which there is no room',
    'no_space',
    /MiB are free/,
    (place) => resign(place, (manifest) => ({ ...manifest, files: { ...manifest.files, bytes: 2 ** 52 } })),
  ],
];
