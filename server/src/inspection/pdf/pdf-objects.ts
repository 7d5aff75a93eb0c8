import { FileFault } from '../verdict.ts';
import { isWhitespace, type PdfDictionary, PdfLexer, type PdfValue, valuesOf } from './pdf-lexer.ts';
import { type ReadingBudget, readObjectStream } from './pdf-object-stream.ts';

/** An object of a PDF with what follows from where it stood. */
interface PdfObject {
  /** `unclear` where readers see different numbers; undefined for a trailer, which has none. */
  readonly number: number | 'unclear' | undefined;
  readonly value: PdfValue;
  readonly isStream: boolean;
}

/** Everything in a PDF that any reader could take for one of its objects. */
export class PdfObjects {
  readonly all: readonly PdfObject[];
  /** The first unreadable part; reported after policy faults, because those explain more. */
  readonly fault: FileFault | undefined;
  readonly #byNumber: ReadonlyMap<PdfObject['number'], readonly PdfValue[]>;
  #resolvable = resolvedMax;

  constructor(all: readonly PdfObject[], fault: FileFault | undefined) {
    this.all = all;
    this.fault = fault;
    const byNumber = new Map<PdfObject['number'], PdfValue[]>();
    for (const { number, value } of all) {
      const values = byNumber.get(number);
      if (values === undefined) byNumber.set(number, [value]);
      else values.push(value);
    }
    this.#byNumber = byNumber;
  }

  /**
   * The possible meanings of a value. A number can be defined more than once, in
   * updates or in order to deceive, and which one counts depends on the reader,
   * so all definitions come back, the last one last.
   */
  resolve(value: PdfValue): readonly PdfValue[] {
    let values: readonly PdfValue[] = [value];
    // A reference may lead to a reference; honest files have no long chains.
    for (let step = 0; step < 4 && values.some(({ kind }) => kind === 'reference'); step += 1) {
      values = values.flatMap((each) => (each.kind === 'reference' ? this.#definitionsOf(each.number) : [each]));
      this.#resolvable -= values.length;
      if (this.#resolvable < 0) throw new FileFault('too_costly');
    }
    return values;
  }

  #definitionsOf(number: number): readonly PdfValue[] {
    const clear = this.#byNumber.get(number) ?? [];
    const unclear = this.#byNumber.get('unclear');
    return unclear === undefined ? clear : [...clear, ...unclear];
  }

  /** The same for the members of a dictionary with this key. */
  resolveMember(dictionary: PdfDictionary, key: string): readonly PdfValue[] {
    return valuesOf(dictionary, key).flatMap((value) => this.resolve(value));
  }
}

// References times definitions of what they refer to: thousands in an honest file of any size.
const resolvedMax = 5_000_000;

// Any place of a file may be read once as an object and once as part of another
// one; more than that on average is no honest file.
const readingsMax = 8;

// Object streams hold dictionaries, which are small: an honest file of 20 MiB stays far below.
const inflatedMaxBytes = 96 * 1024 * 1024;

/**
 * Collects the objects of a PDF without trusting its cross-reference table:
 * whatever stands behind an `obj` anywhere in the file, in a stream of objects
 * or behind `trailer` counts, whether or not something refers to it. A reader
 * can only see objects that are among these.
 */
export function collectObjects(bytes: Buffer): PdfObjects {
  const objects: PdfObject[] = [];
  const budget = { readable: bytes.length * readingsMax, inflatable: inflatedMaxBytes };
  let fault: FileFault | undefined;
  for (const collect of [collectTrailers, collectNumbered]) {
    try {
      for (const object of collect(bytes, budget)) objects.push(object);
    } catch (error) {
      if (!(error instanceof FileFault)) throw error;
      fault ??= error;
    }
  }
  return new PdfObjects(objects, fault);
}

function* collectTrailers(bytes: Buffer, budget: ReadingBudget): Generator<PdfObject> {
  for (const at of findWords(bytes, 'trailer')) {
    yield { number: undefined, value: readAt(bytes, at + 'trailer'.length, budget).value, isStream: false };
  }
}

function* collectNumbered(bytes: Buffer, budget: ReadingBudget): Generator<PdfObject> {
  for (const { at, number } of findObjectStarts(bytes)) {
    const { value, lexer } = readAt(bytes, at, budget);
    const isStream = value.kind === 'dictionary' && lexer.skipWord('stream');
    yield { number, value, isStream };
    if (!isStream || !isObjectStream(value)) continue;
    for (const inner of readObjectStream(value, bytes.subarray(lexer.position), budget)) {
      yield { ...inner, isStream: false };
    }
  }
}

function readAt(bytes: Buffer, at: number, budget: ReadingBudget): { value: PdfValue; lexer: PdfLexer } {
  const lexer = new PdfLexer(bytes);
  lexer.position = at;
  const value = lexer.readValue();
  budget.readable -= lexer.position - at;
  if (budget.readable < 0) throw new FileFault('too_costly');
  return { value, lexer };
}

function* findWords(bytes: Buffer, word: string): Generator<number> {
  for (let at = bytes.indexOf(word); at !== -1; at = bytes.indexOf(word, at + word.length)) yield at;
}

function* findObjectStarts(bytes: Buffer): Generator<{ at: number; number: number | 'unclear' }> {
  for (const at of findWords(bytes, 'obj')) {
    const before = bytes[at - 1];
    const isDigit = before !== undefined && before >= 0x30 && before <= 0x39;
    if (isDigit || isWhitespace(before)) yield { at: at + 3, number: readNumber(bytes, at) };
  }
}

// A sign, a point or more digits before the number change it for some readers.
const header = /(?<![\d+.-])(\d{1,10})(?:[\s\0\x80\xff]|%[^\r\n]*[\r\n])+\d{1,10}(?:[\s\0\x80\xff]|%[^\r\n]*[\r\n])*$/;

function readNumber(bytes: Buffer, at: number): number | 'unclear' {
  const match = header.exec(bytes.toString('latin1', Math.max(0, at - 64), at));
  return match?.[1] === undefined ? 'unclear' : Number(match[1]);
}

// By its type, and by its form where the type is given in a roundabout way.
function isObjectStream(dictionary: PdfDictionary): boolean {
  if (valuesOf(dictionary, 'N').length > 0 && valuesOf(dictionary, 'First').length > 0) return true;
  return valuesOf(dictionary, 'Type').some((value) => value.kind === 'name' && value.name === 'ObjStm');
}
