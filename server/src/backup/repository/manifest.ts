import Type, { type Static } from 'typebox';
import { Check } from 'typebox/schema';
import { JournalPosition } from './journal-line.ts';

const closed = { additionalProperties: false };
const Count = Type.Integer({ minimum: 0 });
const Name = Type.String({ pattern: '^[a-z_][a-z0-9_]{0,62}$' });
const Sha256 = Type.String({ pattern: '^[0-9a-f]{64}$' });
const Moment = Type.String({ format: 'date-time' });

/** The format of new backups; later server versions can also read it. */
export const backupFormat = 1;

const Table = Type.Object({ name: Name, columns: Type.Array(Name), rows: Count, bytes: Count, sha256: Sha256 }, closed);

const Sequence = Type.Object(
  { table: Name, column: Name, value: Type.String({ pattern: '^\\d{1,19}$' }), is_called: Type.Boolean() },
  closed,
);

/** The manifest of a backup. `mac` signs all other members with the installation's backup key. */
const Manifest = Type.Object(
  {
    format: Type.Literal(backupFormat),
    name: Type.String({ maxLength: 40 }),
    number: Type.Integer({ minimum: 1 }),
    created_at: Moment,
    server_version: Type.String({ maxLength: 100 }),
    database: Type.Object(
      { kind: Type.Enum(['postgresql', 'pglite']), version: Type.String({ maxLength: 200 }) },
      closed,
    ),
    migrations: Type.Array(Type.String({ maxLength: 100 })),
    tables: Type.Array(Table),
    sequences: Type.Array(Sequence),
    /** The stored files, and the size and hash of their list. */
    files: Type.Object({ count: Count, bytes: Count, list_bytes: Count, sha256: Sha256 }, closed),
    /** Files that the database refers to, but that were missing or damaged in the storage. */
    lost_files: Type.Array(Type.String({ maxLength: 50 })),
    journal: Type.Array(JournalPosition),
    key_id: Type.String({ maxLength: 16 }),
    mac: Sha256,
  },
  closed,
);
export type Manifest = Static<typeof Manifest>;

/** The signature covers everything except itself. */
export function signedManifestText({ mac: _, ...content }: Omit<Manifest, 'mac'> & { mac?: string }): string {
  return JSON.stringify(content);
}

export function parseManifest(text: string): Manifest | undefined {
  const value = parseJson(text);
  return Check(Manifest, value) ? value : undefined;
}

/** Parses only the format number of a manifest, which a later version may have written. */
export function parseManifestFormat(text: string): unknown {
  const value = parseJson(text);
  return typeof value === 'object' && value !== null ? Reflect.get(value, 'format') : undefined;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A record that a backup was restored into a temporary database and found intact. */
const VerificationRecord = Type.Object({ verified_at: Moment, manifest_mac: Sha256, mac: Sha256 }, closed);
export type VerificationRecord = Static<typeof VerificationRecord>;

export function parseVerificationRecord(text: string): VerificationRecord | undefined {
  const value = parseJson(text);
  return Check(VerificationRecord, value) ? value : undefined;
}

export function signedVerificationText({ verified_at, manifest_mac }: Omit<VerificationRecord, 'mac'>): string {
  return `verified ${manifest_mac} ${verified_at}`;
}

export interface ListedFile {
  readonly key: string;
  readonly bytes: number;
  readonly sha256: string;
}

const lineForm = /^([0-9a-f]{64}) (\d{1,16}) ([0-9a-z.-]{1,50})$/;

export function formatListedFile({ key, bytes, sha256 }: ListedFile): string {
  return `${sha256} ${bytes} ${key}\n`;
}

export function parseListedFile(line: string): ListedFile | undefined {
  const parts = lineForm.exec(line);
  if (parts === null) return undefined;
  const [, sha256 = '', bytes, key = ''] = parts;
  return { key, bytes: Number(bytes), sha256 };
}
