import Type from 'typebox';
import { Check } from 'typebox/schema';
import { Revocation } from '../../platform/revocation.ts';

interface Signer {
  sign(text: string): string;
  accepts(text: string, mac: string): boolean;
}

export type JournalEntry = Readonly<Revocation> & { readonly at: string };

const At = Type.Object({ at: Type.String({ format: 'date-time' }) });

/** The length of a journal segment at the time when a backup began. */
export const JournalPosition = Type.Object(
  {
    segment: Type.String({ pattern: '^[0-9A-Za-z-]{1,80}\\.log$' }),
    bytes: Type.Integer({ minimum: 0 }),
    mac: Type.String({ maxLength: 64 }),
  },
  { additionalProperties: false },
);
export type JournalPosition = Type.Static<typeof JournalPosition>;

/** Formats a journal line. Each signature covers the previous one, to detect changed, missing and swapped lines. */
export function formatJournalLine(signer: Signer, before: string, entry: JournalEntry): { line: string; mac: string } {
  const json = JSON.stringify(entry);
  const mac = signer.sign(`${before}\n${json}`);
  return { line: `${mac} ${json}\n`, mac };
}

interface ReadLines {
  readonly entries: readonly JournalEntry[];
  /** The end of the last complete line, and its signature. */
  readonly end: Omit<JournalPosition, 'segment'>;
  /** Whether a line has an invalid signature, or does not follow the line before it. */
  readonly isBroken: boolean;
}

/**
 * Reads the lines after the one with the signature `before`. Ignores text after the last line break: its process ended
 * while writing it, before the revocation was acknowledged. Without a signer, signatures are not checked.
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
