import Type from 'typebox';
import { Check } from 'typebox/schema';
import { Revocation } from '../../platform/revocation.ts';

/** The key and context with which a line of the journal is signed. */
interface Signer {
  sign(text: string): string;
  accepts(text: string, mac: string): boolean;
}

/** An act with its time. */
export type JournalEntry = Readonly<Revocation> & { readonly at: string };

const At = Type.Object({ at: Type.String({ format: 'date-time' }) });

/** How far a segment of the journal was when a backup began. */
export const JournalPosition = Type.Object(
  {
    segment: Type.String({ pattern: '^[0-9A-Za-z-]{1,80}\\.log$' }),
    bytes: Type.Integer({ minimum: 0 }),
    mac: Type.String({ maxLength: 64 }),
  },
  { additionalProperties: false },
);
export type JournalPosition = Type.Static<typeof JournalPosition>;

/** A line: its signature covers the line before it, so that none can be changed, left out or moved. */
export function formatLine(signer: Signer, before: string, entry: JournalEntry): { line: string; mac: string } {
  const json = JSON.stringify(entry);
  const mac = signer.sign(`${before}\n${json}`);
  return { line: `${mac} ${json}\n`, mac };
}

/** The lines of a segment as they were read. */
interface ReadLines {
  readonly entries: readonly JournalEntry[];
  /** The end of the last complete line, and its signature. */
  readonly end: Omit<JournalPosition, 'segment'>;
  /** Whether a line is not signed after the one before it. */
  readonly isBroken: boolean;
}

/**
 * Reads lines that follow the signature `before`. What follows the last line break was
 * being written when its process ended: the act was not acknowledged. Without a signer no signature is checked.
 */
export function readJournalLines(before: string, bytes: Buffer, signer: Signer | undefined): ReadLines {
  const entries: JournalEntry[] = [];
  let mac = before;
  for (let at = 0; ; ) {
    const lineEnd = bytes.indexOf(10, at);
    if (lineEnd === -1) return { entries, end: { bytes: at, mac }, isBroken: false };
    const line = bytes.toString('utf8', at, lineEnd);
    const [signature, json] = [line.slice(0, 64), line.slice(65)];
    const entry = readEntry(json);
    const isSigned = signer === undefined || signer.accepts(`${mac}\n${json}`, signature);
    if (entry === undefined || !isSigned) return { entries, end: { bytes: at, mac }, isBroken: true };
    at = lineEnd + 1;
    mac = signature;
    entries.push(entry);
  }
}

function readEntry(json: string): JournalEntry | undefined {
  try {
    const { at, ...act } = JSON.parse(json) as Record<string, unknown>;
    if (!Check(At, { at }) || !Check(Revocation, act)) return undefined;
    return { ...act, at: String(at) } as JournalEntry;
  } catch {
    return undefined;
  }
}
