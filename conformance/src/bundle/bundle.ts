import { gzipSync } from 'node:zlib';
import { canonical, digestOf } from './encoding.ts';

/** The form of a bundle. */
export const bundleFormat = 'agent-platform-conformance-bundle/1';

/** Something that crossed the border of a run, in its order. */
export type Entry =
  /** The run opened a line: sent a request, connected, started a program. */
  | { readonly line: string; readonly asks: unknown }
  /** The run sent something on an open line. */
  | { readonly line: string; readonly says: unknown }
  /** Something came, `at` milliseconds after the beginning. */
  | { readonly line: string; readonly at: number; readonly hears: unknown }
  /** A value from outside, by the digest of what it was made from. */
  | { readonly value: string; readonly of: string; readonly is: unknown };

/** A run that others can judge again without its server. */
export interface Bundle {
  readonly format: string;
  readonly suite: { readonly version: string; readonly digest: string };
  /** The program that ran it, as a hint. */
  readonly node: string;
  /** The digest of the register of requirements. */
  readonly register: string;
  /** What a person chose with `--seed`. */
  readonly seed: unknown;
  readonly started_at: string;
  /** The source of the random values; keys and tokens do not follow from it. */
  readonly entropy: string;
  readonly options: unknown;
  /** The texts that stand for tokens, keys and codes. */
  readonly secrets: readonly string[];
  /** The texts that stand for wrong tokens, which are nearly right ones. */
  readonly wrong_tokens: readonly string[];
  readonly record: readonly Entry[];
  /** The report, as `report.schema.json` describes it. */
  readonly report: unknown;
  /** SHA-256 of the canonical form (RFC 8785) of everything else. */
  readonly hash: string;
}

/** The hash that a bundle must have. */
export function bundleHash({ hash: _, ...bundle }: Bundle): string {
  return digestOf(canonical(bundle));
}

/** The content of the file, packed where its name ends with .gz. */
export function packBundle(bundle: Bundle, file: string): string | Buffer {
  const text = printBundle(bundle);
  return file.endsWith('.gz') ? gzipSync(text) : text;
}

/** The text of the file: a line for each entry of the record. */
function printBundle(bundle: Bundle): string {
  const members = Object.entries(bundle).map(([name, value]) => {
    const text = name === 'record' ? `[\n${bundle.record.map((entry) => JSON.stringify(entry)).join(',\n')}\n]` : '';
    return `${JSON.stringify(name)}: ${text || JSON.stringify(value)}`;
  });
  return `{\n${members.join(',\n')}\n}\n`;
}
