import { readFileSync, statSync } from 'node:fs';
import { gunzipSync, gzipSync } from 'node:zlib';
import { CannotRun, rethrowAsCannotRun } from '../context/cannot-run.ts';
import { isObject, parseJson } from '../context/json.ts';
import { digestOf, formatCanonicalJson } from './encoding.ts';

export const bundleFormat = 'agent-platform-conformance-bundle/1';

/** An input or output of a run; a bundle lists them in order. */
export type RecordEntry =
  /** The run opened a channel: it sent a request, connected, or started a program. */
  | { readonly line: string; readonly asks: unknown }
  /** The run sent data on an open channel. */
  | { readonly line: string; readonly says: unknown }
  /** The run received data, `at` milliseconds after its start. */
  | { readonly line: string; readonly at: number; readonly hears: unknown }
  /** A value that was computed outside the run, identified by the digest of its input. */
  | { readonly value: string; readonly of: string; readonly is: unknown };

/** The record of a run; with it, anyone can judge the run again without its server. */
export interface Bundle {
  readonly format: string;
  readonly suite: { readonly version: string; readonly digest: string };
  /** The Node.js version that ran the suite, for information only. */
  readonly node: string;
  /** The digest of the register of requirements. */
  readonly register: string;
  /** The value of `--seed`, if it was given. */
  readonly seed: unknown;
  readonly started_at: string;
  /** The bytes from which random values are derived, except keys and tokens. */
  readonly entropy: string;
  readonly options: unknown;
  /** The placeholders of tokens, private keys and invitation codes. */
  readonly secrets: readonly string[];
  /** The placeholders of invalid tokens that resemble real ones. */
  readonly wrong_tokens: readonly string[];
  readonly record: readonly RecordEntry[];
  /** The report, as `report.schema.json` describes it. */
  readonly report: unknown;
  /** SHA-256 of the canonical form (RFC 8785) of all other members. */
  readonly hash: string;
}

export function hashBundle({ hash: _, ...bundle }: Bundle): string {
  return digestOf(formatCanonicalJson(bundle));
}

/** The file has one line per entry of the record, and is compressed if its name ends with .gz. */
export function packBundle(bundle: Bundle, file: string): string | Buffer {
  const members = Object.entries(bundle).map(([name, value]) => {
    const text = name === 'record' ? `[\n${bundle.record.map((entry) => JSON.stringify(entry)).join(',\n')}\n]` : '';
    return `${JSON.stringify(name)}: ${text || JSON.stringify(value)}`;
  });
  const packed = `{\n${members.join(',\n')}\n}\n`;
  return file.endsWith('.gz') ? gzipSync(packed) : packed;
}

const maxBytes = 256 * 1024 * 1024;

export function readBundle(file: string): Bundle {
  const text = rethrowAsCannotRun(`${file} cannot be read: `, () => readText(file));
  const read = parseJson(text);
  if (!isObject(read)) throw new CannotRun(`${file} is not a bundle: its content is not a JSON object.`);
  const { format } = read as { readonly format?: unknown };
  if (format !== bundleFormat)
    throw new CannotRun(`${file} is not a bundle of this format: its "format" is not "${bundleFormat}".`);
  const wrong = Object.entries(forms).find(([name, isRight]) => !isRight(read[name]));
  if (wrong !== undefined) throw new CannotRun(`${file} is a damaged bundle: its "${wrong[0]}" is missing or wrong.`);
  return read as unknown as Bundle;
}

function readText(file: string): string {
  const { size } = statSync(file);
  if (size > maxBytes) throw new CannotRun(`${file} is larger than 256 MiB, the maximum size of a bundle.`);
  const bytes = readFileSync(file);
  const isPacked = bytes[0] === 0x1f && bytes[1] === 0x8b;
  return (isPacked ? gunzipSync(bytes, { maxOutputLength: maxBytes }) : bytes).toString('utf8');
}

const isText = (value: unknown) => typeof value === 'string';
const isTexts = (value: unknown) => Array.isArray(value) && value.every(isText);

const forms: Readonly<Record<string, (value: unknown) => boolean>> = {
  suite: (value) => isObject(value) && isText(value['version']) && isText(value['digest']),
  node: isText,
  register: isText,
  started_at: (value) => isText(value) && !Number.isNaN(Date.parse(String(value))),
  entropy: (value) => isText(value) && /^[0-9a-f]{96}$/.test(String(value)),
  options: (value) => isObject(value) && isText(value['baseUrl']) && isObject(value['hooks']),
  secrets: isTexts,
  wrong_tokens: isTexts,
  record: (value) => Array.isArray(value) && value.every(isEntry),
  report: (value) => isObject(value) && Array.isArray(value['requirements']) && Array.isArray(value['checks']),
  hash: isText,
};

function isEntry(entry: unknown): boolean {
  if (!isObject(entry)) return false;
  const { line, value, of, at } = entry as Readonly<Record<string, unknown>>;
  if (isText(value)) return isText(of) && 'is' in entry;
  return isText(line) && ('asks' in entry || 'says' in entry || ('hears' in entry && Number.isSafeInteger(at)));
}
