import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { expect, it } from 'vitest';
import { wrapToWidth } from '../cli-core/src/output/text-width.ts';
import { makeReadableLine } from '../conformance/src/reports/readable.ts';
import { findEncodedKeyFault } from '../contract/src/encryption-key.ts';
import { parseExactJson } from '../contract/src/exact-json.ts';
import { parseContentType } from '../contract/src/media-type.ts';
import { parseFrame } from '../sdk/src/events/event-frame.ts';
import { parseRetryAfter } from '../sdk/src/transport/retry-after.ts';
import { cleanFileName } from '../server/src/attachments/attachment.ts';
import { chooseRange, formatContentDisposition } from '../server/src/attachments/byte-range.ts';
import { parseAckFrame } from '../server/src/events/ack-window.ts';
import { makeAddressKey } from '../server/src/platform/http/address.ts';
import { matchesEtag } from '../server/src/platform/http/headers.ts';
import { parseBearerToken } from '../server/src/platform/http/mount.ts';
import { findHeadFault } from '../server/src/platform/http/request-head.ts';
import { extractGrams, foldFields, gramsToFind } from '../server/src/search-index/search-text.ts';
import { excerptOf, linkAddresses } from '../server/src/web/shown-text.ts';
import { listFiles } from './list-files.ts';

// A regular expression that takes quadratic time on a long text from the network blocks the whole process. Therefore,
// every pattern in these packages must take linear time, even if it currently only matches short texts.
const root = join(import.meta.dirname, '..');
const isSource = /^(server|contract|sdk|conformance|cli-core|cli|mcp)\/src\/.*(?<!\.test)\.ts$/;

/** The patterns in this file read at most 64 bytes at a time. */
const isBounded = /\/pdf-objects\.ts$/;

/** Nearly every character class in use matches one of these characters. */
const characters = 'a0 "/=.-:+\\;%\tA_\n\0é(';

/** Parts of a pattern: an escape, a class, a quantifier, the start of a group, or one character. */
const part =
  /\\[pPuk]\{[^}]*\}|\\x..|\\u....|\\.|\[(?:\\.|\[(?:\\.|[^\]\\])*\]|[^\]\\])*\]|\(\?(?:<?[=!]|:|<\w+>)|\{\d+(?:,\d*)?\}|./gsu;

function patternsOf(file: string): readonly RegExp[] {
  const source = ts.createSourceFile(file, readFileSync(join(root, file), 'utf8'), ts.ScriptTarget.Latest);
  const found: RegExp[] = [];
  const visit = (node: ts.Node) => {
    // Includes strings, because schemas contain patterns as strings.
    const literal = ts.isStringLiteral(node) && /^\^.+\$$/.test(node.text) ? `/${node.text}/` : '';
    const written = ts.isRegularExpressionLiteral(node) ? node.text : literal;
    const [, text, flags] = /^\/(.*)\/([a-z]*)$/s.exec(written) ?? [];
    if (text !== undefined) found.push(new RegExp(text, flags));
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found.filter(({ source }) => /[*+]|\{\d+,/.test(source));
}

interface Sample {
  /** A text that roughly matches the pattern: each part once, or as often as its quantifier requires. */
  readonly text: string;
  /** Characters that some part of the pattern matches. */
  readonly alphabet: ReadonlySet<string>;
}

function sampleOf({ source, flags }: RegExp): Sample {
  let text = '';
  const alphabet = new Set<string>();
  for (const [atom] of source.matchAll(part)) {
    const times = /^\{(\d+)/.exec(atom)?.[1];
    if (times !== undefined) text += text.slice(-1).repeat(Math.max(0, Math.min(16, Number(times)) - 1));
    if (times !== undefined || /^(?:[*+?^$()|]|\(\?.*|\\[bB])$/s.test(atom)) continue;
    const matching = matchedBy(atom, flags.replaceAll(/[gy]/g, ''));
    text += matching[0] ?? '';
    for (const character of matching.slice(0, 2)) alphabet.add(character);
  }
  return { text: text.slice(0, 60), alphabet };
}

function matchedBy(atom: string, flags: string): string[] {
  const form = new RegExp(`^(?:${atom})$`, flags);
  return [...(atom.length < 3 ? atom.slice(-1) : ''), ...characters].filter((character) => form.test(character));
}

/** Each text repeats a part that the pattern matches, because a super-linear pattern backtracks often on it. */
function* attacksOn(pattern: RegExp): Generator<(length: number) => string> {
  const { text, alphabet } = sampleOf(pattern);
  for (let at = 0; at <= text.length; at += 1) {
    const slices = [2, 3, 4, 12].map((length) => text.slice(at, at + length));
    for (const pump of new Set([...alphabet, ...slices].filter((one) => one !== '')))
      for (const end of ['', '\u0001\n']) yield (length) => text.slice(0, at) + pump.repeat(length / pump.length) + end;
  }
}

function processorMs(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

function bestOfFive(work: () => void): number {
  return Math.min(...[1, 2, 3, 4, 5].map(() => processorMs(work)));
}

const length = 4_096;

/** Finds the first attack that takes more than six times the processor time if it is four times as long. */
function findSlowText(run: (text: string) => unknown, attacks: Iterable<(length: number) => string>) {
  for (const attack of attacks) {
    const text = attack(length);
    run(text);
    // Skips fast attacks: linear work of this length takes a few microseconds.
    if (processorMs(() => run(text)) < 2) continue;
    const isSlow = () => {
      const short = bestOfFive(() => run(text));
      const long = bestOfFive(() => run(attack(4 * length)));
      // On the longer text, quadratic work takes at least 30 ms, and a garbage collection takes less than 10 ms.
      return long > 10 && long > 6 * short;
    };
    // On a busy machine a single measurement may be wrong, so three must agree.
    if (isSlow() && isSlow() && isSlow()) return JSON.stringify(text.slice(0, 80));
  }
  return undefined;
}

it('finds a pattern of quadratic time', () => {
  for (const slow of [/^a(?:;[ \t]*b=c[ \t]*)*;?[ \t]*$/, /"(?:[^"\\]|\\.)*"/g])
    expect([slow.source, findSlowText((text) => text.replace(slow, ''), attacksOn(slow))]).not.toContain(undefined);
});

it('every pattern takes linear time', () => {
  const files = listFiles(root).filter((file) => isSource.test(file) && !isBounded.test(file));
  const patterns = new Map(
    files.flatMap((file) => patternsOf(file).map((pattern) => [String(pattern), { file, pattern }])),
  );
  const slow = [...patterns.values()].flatMap(({ file, pattern }) => {
    const text = findSlowText((wire) => wire.replace(pattern, ''), attacksOn(pattern));
    return text === undefined ? [] : `${file} ${String(pattern)} on ${text}`;
  });

  expect(patterns.size).toBeGreaterThan(100);
  expect(slow).toEqual([]);
});

const headOf = (type: string) => ({
  httpVersion: '1.1',
  rawHeaders: ['host', 'a', 'content-type', type],
  headers: { host: 'a', 'content-type': type },
  url: '/',
});

const parsers: Readonly<Record<string, (text: string) => unknown>> = {
  'request head': (text) => findHeadFault(headOf(text)),
  Authorization: parseBearerToken,
  'Content-Type': parseContentType,
  Range: (text) => chooseRange(text, 1_000),
  'If-None-Match': (text) => matchesEtag(text, '"a"'),
  'X-Forwarded-For': makeAddressKey,
  'public key': (text) => findEncodedKeyFault(text, (_, point) => point),
  'JSON body': (text) => parseExactJson(text, () => null),
  'file name': (text) => formatContentDisposition(cleanFileName(text)),
  'text to search': (text) => extractGrams(foldFields([text])),
  'search term': gramsToFind,
  'text on a page': (text) => [linkAddresses(text), excerptOf(text, 200)],
  acknowledgement: parseAckFrame,
  'event frame': parseFrame,
  'Retry-After': (text) => parseRetryAfter({ get: () => text }, 0),
  'text in a report': makeReadableLine,
};

const begins = [
  '',
  '"',
  '{"a":',
  '[',
  '0',
  'a',
  'bearer a',
  'bytes=',
  'multipart/form-data; a=b',
  'a; a="',
  'https://a',
];
const pumps = [
  ...characters,
  '""',
  '"a',
  '"\\',
  '{"a":',
  ';a=b',
  ',"',
  ' :',
  '%25',
  '::',
  '\ud83d\ude00',
  'ſ',
  'İ',
  'https://',
];

function* wireTexts(): Generator<(length: number) => string> {
  for (const begin of begins)
    for (const pump of pumps)
      for (const end of ['', '\u0001', '}']) yield (length) => begin + pump.repeat(length / pump.length) + end;
}

it.each(Object.keys(parsers))('the parser of %s takes linear time', (name) => {
  const parse = (text: string) => {
    try {
      return parsers[name]?.(text);
    } catch {
      return undefined;
    }
  };

  expect(findSlowText(parse, wireTexts())).toBeUndefined();
});

it('a head of 16 KiB is checked in under 5 ms of processor time', () => {
  for (const text of wireTexts()) expect(bestOfFive(() => findHeadFault(headOf(text(16_384))))).toBeLessThan(5);
});

it('a long word is wrapped in one pass', () => {
  // Quadratic work would take more than three seconds.
  expect(processorMs(() => wrapToWidth('é'.repeat(32_000), 4))).toBeLessThan(1_500);
});
