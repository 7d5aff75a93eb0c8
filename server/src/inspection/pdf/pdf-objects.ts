import { FileFault } from '../verdict.ts';
import { findDictionaryValues, isWhitespace, type PdfDictionary, PdfLexer, type PdfValue } from './pdf-lexer.ts';
import { type ReadingBudget, readObjectStream } from './pdf-object-stream.ts';

export interface PdfObject {
  /** `unclear` if readers would parse different numbers; undefined for a trailer, which has no number. */
  readonly number: number | 'unclear' | undefined;
  readonly value: PdfValue;
  readonly isStream: boolean;
}

/** Whether an object refers to the root of the document: a trailer or a cross-reference stream. */
export function isTrailer({ number, value, isStream }: PdfObject): boolean {
  return number === undefined || (isStream && value.kind === 'dictionary' && hasType(value, 'XRef'));
}

function hasType(dictionary: PdfDictionary, type: string): boolean {
  return findDictionaryValues(dictionary, 'Type').some((value) => value.kind === 'name' && value.name === type);
}

export class PdfObjects {
  readonly all: readonly PdfObject[];
  readonly #byNumber: ReadonlyMap<PdfObject['number'], readonly PdfObject[]>;
  #resolvable = resolvedMax;

  constructor(all: readonly PdfObject[]) {
    this.all = all;
    const byNumber = new Map<PdfObject['number'], PdfObject[]>();
    for (const object of all) {
      const objects = byNumber.get(object.number);
      if (objects === undefined) byNumber.set(object.number, [object]);
      else objects.push(object);
    }
    this.#byNumber = byNumber;
  }

  /** Returns all definitions to which a reference may point; returns any other value unchanged. */
  resolve(value: PdfValue): readonly PdfValue[] {
    let values: readonly PdfValue[] = [value];
    // A reference may point to another reference; genuine files have no long chains.
    for (let step = 0; step < 4 && values.some(({ kind }) => kind === 'reference'); step += 1) {
      values = values.flatMap((each) =>
        each.kind === 'reference' ? this.definitionsOf(each.number).map((object) => object.value) : [each],
      );
      this.#resolvable -= values.length;
      if (this.#resolvable < 0) throw new FileFault('too_costly');
    }
    if (values.some(({ kind }) => kind === 'reference')) throw new FileFault('broken');
    return values;
  }

  definitionsOf(number: number): readonly PdfObject[] {
    const clear = this.#byNumber.get(number) ?? [];
    const unclear = this.#byNumber.get('unclear');
    return unclear === undefined ? clear : [...clear, ...unclear];
  }

  resolveMember(dictionary: PdfDictionary, key: string): readonly PdfValue[] {
    return findDictionaryValues(dictionary, key).flatMap((value) => this.resolve(value));
  }
}

// The maximum number of values to which references resolve in total; a genuine file of any size has thousands.
const resolvedMax = 5_000_000;

// The average number of times that each byte may be read. Objects may contain others, but no genuine file exceeds this
// limit.
const readingsMax = 8;

// Object streams contain small dictionaries: a genuine file of 20 MiB stays far below this limit.
const inflatedMaxBytes = 96 * 1024 * 1024;

/** The result of scanning a file without using its cross-references. */
export interface PdfScan {
  readonly objects: readonly PdfObject[];
  /** The fault of the first unreadable part. */
  readonly fault: FileFault | undefined;
  /** Whether readers that scan the file could find different objects. */
  readonly isUnclear: boolean;
  /** Whether something that looks like an object was skipped. */
  readonly hasSkipped: boolean;
  /** The positions after `obj` and `trailer` at which an object was read. */
  readonly starts: ReadonlySet<number>;
}

/**
 * Finds all objects in file order, referenced or not: after `obj`, in object streams, and after `trailer`.
 * `outermost` skips text that looks like an object inside another object, a stream or a comment.
 */
export function scanObjects(bytes: Buffer, extent: 'outermost' | 'everywhere'): PdfScan {
  const objects: PdfObject[] = [];
  const budget = { readable: bytes.length * readingsMax, inflatable: inflatedMaxBytes };
  let fault: FileFault | undefined;
  let isUnclear = false;
  let hasSkipped = false;
  const starts = new Set<number>();
  let end = 0;
  for (const start of findStarts(bytes)) {
    if (extent === 'outermost' && (start.at < end || isInComment(bytes, end, start.at))) {
      hasSkipped = true;
      continue;
    }
    try {
      const { value, isStream, lexer } = readAt(bytes, start.at, budget);
      objects.push({ number: start.number, value, isStream });
      starts.add(start.at);
      isUnclear ||= lexer.isUnclear || start.number === 'unclear';
      end = isStream ? endOfStream(bytes, value, lexer.position) : lexer.position;
      if (!isStream || !isObjectStream(value)) continue;
      const packed = readObjectStream(value, bytes.subarray(lexer.position), budget);
      for (const inner of packed) objects.push({ ...inner, isStream: false });
    } catch (error) {
      if (!(error instanceof FileFault)) throw error;
      // The scan continues, because later checks may find a more specific reason, such as encryption.
      fault = fault === undefined || error.fault === 'too_costly' ? error : fault;
      if (error.fault === 'too_costly') break;
    }
  }
  return { objects, fault, isUnclear, hasSkipped, starts };
}

/** Reads the objects listed in a file that the engine wrote; uses those from `findKnown` instead of reading them. */
export function readEngineCopy(bytes: Buffer, findKnown: (number: number) => PdfObject | undefined): PdfObject[] {
  const budget = { readable: bytes.length * 2, inflatable: 0 };
  const end = bytes.toString('latin1', bytes.lastIndexOf('startxref'));
  const table = Number(/\d+/.exec(end)?.[0]);
  const rows = bytes.toString('latin1', table).matchAll(/^(\d{10}) \d{5} n/gm);
  const objects = Array.from(rows, ([, offset]): PdfObject => {
    const at = bytes.indexOf('obj', Number(offset));
    const number = Number.parseInt(bytes.toString('latin1', Number(offset), at), 10);
    return findKnown(number) ?? { number, ...readAt(bytes, at + 3, budget) };
  });
  const trailer = bytes.indexOf('trailer', table) + 'trailer'.length;
  return [...objects, { number: undefined, ...readAt(bytes, trailer, budget) }];
}

function readAt(bytes: Buffer, at: number, budget: ReadingBudget) {
  const lexer = new PdfLexer(bytes);
  lexer.position = at;
  const value = lexer.readContent();
  budget.readable -= lexer.position - at;
  if (budget.readable < 0) throw new FileFault('too_costly');
  return { value, lexer, isStream: value.kind === 'dictionary' && lexer.skipWord('stream') };
}

/** Yields the positions after `obj` and `trailer`, in file order. */
function* findStarts(bytes: Buffer): Generator<{ at: number; number: PdfObject['number'] }> {
  let trailer = bytes.indexOf('trailer');
  for (let at = bytes.indexOf('obj'); at !== -1 || trailer !== -1; ) {
    if (trailer !== -1 && (at === -1 || trailer < at)) {
      yield { at: trailer + 'trailer'.length, number: undefined };
      trailer = bytes.indexOf('trailer', trailer + 1);
      continue;
    }
    const before = bytes[at - 1];
    const isDigit = before !== undefined && before >= 0x30 && before <= 0x39;
    // A longer word, such as "object", does not start an object.
    const isLonger = /[a-z]/i.test(String.fromCharCode(bytes[at + 3] ?? 0));
    if (!isLonger && (isDigit || isWhitespace(before))) yield { at: at + 3, number: readNumber(bytes, at) };
    at = bytes.indexOf('obj', at + 3);
  }
}

// For some readers, a sign, a point or more digits before the number change its value.
const header = /(?<![\d+.-])(\d{1,10})(?:[\s\0\x80\xff]|%[^\r\n]*[\r\n])+\d{1,10}(?:[\s\0\x80\xff]|%[^\r\n]*[\r\n])*$/;

function readNumber(bytes: Buffer, at: number): number | 'unclear' {
  const match = header.exec(bytes.toString('latin1', Math.max(0, at - 64), at));
  return match?.[1] === undefined ? 'unclear' : Number(match[1]);
}

/** Whether a `%` precedes position `at` in the same line. */
function isInComment(bytes: Buffer, from: number, at: number): boolean {
  const text = bytes.toString('latin1', Math.max(from, at - 1_024), at);
  return text.includes('%', Math.max(text.lastIndexOf('\n'), text.lastIndexOf('\r')) + 1);
}

// The length is counted from the next line. If it is wrong, the stream ends at its first end marker.
function endOfStream(bytes: Buffer, dictionary: PdfValue, start: number): number {
  const [length] = dictionary.kind === 'dictionary' ? findDictionaryValues(dictionary, 'Length') : [];
  const claimed = start + (length?.kind === 'number' ? length.value : 0);
  if (claimed > start && /^.{0,2}\s{0,3}endstream/s.test(bytes.toString('latin1', claimed, claimed + 16)))
    return claimed;
  return Math.max(start, bytes.indexOf('endstream', start));
}

// An object stream is recognized by its keys, or by its type.
function isObjectStream(dictionary: PdfValue): dictionary is PdfDictionary {
  if (dictionary.kind !== 'dictionary') return false;
  if (findDictionaryValues(dictionary, 'N').length > 0 && findDictionaryValues(dictionary, 'First').length > 0)
    return true;
  return hasType(dictionary, 'ObjStm');
}
