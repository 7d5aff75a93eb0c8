import { readFileSync, statSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { CannotRun, orCannotRun } from '../context/cannot-run.ts';
import { isObject, parseJson } from '../context/json.ts';
import { type Bundle, bundleFormat } from './bundle.ts';

const maxBytes = 256 * 1024 * 1024;

/** Reads a bundle, also one that gzip has packed. */
export function readBundle(file: string): Bundle {
  const text = orCannotRun(`${file} cannot be read: `, () => readText(file));
  const read = parseJson(text);
  if (!isObject(read)) throw new CannotRun(`${file} is not a bundle: its content is not a JSON object.`);
  const { format } = read as { readonly format?: unknown };
  if (format !== bundleFormat)
    throw new CannotRun(`${file} is not a bundle of this form: its "format" is not "${bundleFormat}".`);
  const wrong = Object.entries(forms).find(([name, isRight]) => !isRight(read[name]));
  if (wrong !== undefined) throw new CannotRun(`${file} is a damaged bundle: its "${wrong[0]}" is missing or wrong.`);
  return read as unknown as Bundle;
}

function readText(file: string): string {
  const { size } = statSync(file);
  if (size > maxBytes) throw new CannotRun(`${file} has more than 256 MiB, and no bundle is that large.`);
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
