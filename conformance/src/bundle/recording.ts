import { randomBytes } from 'node:crypto';
import process from 'node:process';
import { parseBearerToken } from '../context/http/http-client.ts';
import type { RunOptions } from '../context/options.ts';
import { codeDigest, registerDigest, suiteVersion } from '../package-files.ts';
import { formatPublicJsonReport } from '../reports/json-report.ts';
import type { Report } from '../verdict/report.ts';
import { openLiveWorld, type Recorder } from '../world/live-world.ts';
import { type Bundle, bundleFormat, hashBundle, type RecordEntry } from './bundle.ts';
import { digestOf, encodeValue, formatCanonicalJson } from './encoding.ts';
import { makePlaceholders } from './placeholders.ts';

type RawEntry = (clean: (text: string) => string, authorization: (header: unknown) => unknown) => RecordEntry;

export function openRecording() {
  const startMs = Date.now();
  const entropy = randomBytes(48);
  const entries: RawEntry[] = [];
  const secrets = new Map<string, boolean>();
  const recorder: Recorder = {
    entropy,
    asks: (line, input) =>
      entries.push((clean, authorization) => ({
        line,
        asks: encodeValue(changeAuthorization(input, authorization), clean),
      })),
    says: (line, data) => entries.push((clean) => ({ line, says: encodeValue(data, clean) })),
    hears: (line, atMs, event) =>
      entries.push((clean) => ({ line, at: atMs - startMs, hears: encodeValue(event, clean) })),
    value: (what, input, value) => {
      // Copies the value, because the run may change it later.
      const is = structuredClone(value);
      entries.push((clean) => ({
        value: what,
        of: inputDigest(encodeValue(input, clean)),
        is: encodeValue(is, clean),
      }));
    },
    hide: (secret, isWrong) => secrets.set(secret, isWrong && secrets.get(secret) !== false),
  };
  return {
    world: openLiveWorld(recorder, startMs),
    finish: (report: Report, options: RunOptions): Bundle => {
      const placeholders = makePlaceholders([...secrets.keys()]);
      const textsOf = (isWrong: boolean) =>
        [...secrets].flatMap(([secret, wrong]) => (wrong === isWrong ? [placeholders.of(secret)] : []));
      const bearers = new Set([...secrets].flatMap(([secret, isWrong]) => (isWrong ? [] : [secret])));
      // Omits commands, which may be private, and files, which exist only on this machine.
      const { hooks, agentsFile: _, baselineFile: __, reports: ___, ...shared } = options;
      const { seconds, ...commands } = hooks;
      const given = Object.entries(commands).map(([name, command]) => [name, command && 'given']);
      const bundle = {
        format: bundleFormat,
        suite: { version: suiteVersion, digest: codeDigest() },
        node: `${process.version} ${process.platform} ${process.arch}`,
        register: registerDigest(),
        seed: options.seed,
        started_at: new Date(startMs).toISOString(),
        entropy: entropy.toString('hex'),
        options: encodeValue({ ...shared, hooks: { ...Object.fromEntries(given), seconds } }, placeholders.clean),
        secrets: textsOf(false),
        wrong_tokens: textsOf(true),
        record: entries.map((entry) => entry(placeholders.clean, (header) => replaceUnknownToken(header, bearers))),
        report: JSON.parse(placeholders.clean(formatPublicJsonReport(report))),
      };
      // Removes undefined members, as reading the bundle from its file does, so that the hash matches.
      const read = JSON.parse(JSON.stringify({ ...bundle, hash: '' }));
      return { ...read, hash: hashBundle(read) };
    },
  };
}

export function inputDigest(input: unknown): string {
  return digestOf(formatCanonicalJson(input));
}

/** Replaces every header with an unknown token by the same text, because all of these tokens are invalid. */
export function replaceUnknownToken(header: unknown, known: ReadonlySet<string>): unknown {
  if (typeof header !== 'string') return undefined;
  const token = parseBearerToken(header);
  return token !== undefined && known.has(token) ? header : 'a wrong token';
}

export function changeAuthorization(input: unknown, authorization: (header: unknown) => unknown): unknown {
  const { headers, ...rest } = input as { readonly headers?: Readonly<Record<string, unknown>> };
  if (headers === undefined) return input;
  return { ...rest, headers: { ...headers, authorization: authorization(headers['authorization']) } };
}
