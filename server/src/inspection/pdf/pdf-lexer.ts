import { FileFault } from '../verdict.ts';

/** A PDF value as written; references are not resolved. */
export type PdfValue =
  | { readonly kind: 'name'; readonly name: string }
  /** The value is NaN if readers would parse different numbers, as in `5-7`. */
  | { readonly kind: 'number'; readonly value: number }
  | { readonly kind: 'reference'; readonly number: number }
  | { readonly kind: 'array'; readonly items: readonly PdfValue[] }
  | PdfDictionary
  | { readonly kind: 'string' }
  | { readonly kind: 'word'; readonly word: string };

/** A dictionary; duplicate keys are all kept, because PDF readers differ in which one they use. */
export interface PdfDictionary {
  readonly kind: 'dictionary';
  readonly entries: readonly (readonly [key: string, value: PdfValue])[];
}

export function findDictionaryValues({ entries }: PdfDictionary, key: string): PdfValue[] {
  return entries.filter(([name]) => name === key).map(([, value]) => value);
}

// Genuine files have fewer than twenty levels of nesting.
const depthMax = 64;

const whitespace = 1;
const delimiter = 2;
const classes = new Uint8Array(256);
for (const byte of [0, 9, 10, 12, 13, 32]) classes[byte] = whitespace;
// PDFium treats these as whitespace, other readers as part of a word.
for (const byte of [0x80, 0xff]) classes[byte] = whitespace;
for (const byte of Buffer.from('()<>[]{}/%')) classes[byte] = delimiter;

const numberForm = /^[\d+.-]+$/;

type Token = PdfValue | { readonly kind: 'mark'; readonly mark: '<<' | '>>' | '[' | ']' | 'end' };

/** Returns the value of a non-negative integer; throws a FileFault for any other value. */
export function parsePdfCount(value: PdfValue | undefined): number {
  if (value?.kind !== 'number' || value.value < 0 || !Number.isInteger(value.value)) throw new FileFault('broken');
  return value.value;
}

export function isWhitespace(byte: number | undefined): boolean {
  return byte !== undefined && classes[byte] === whitespace;
}

/**
 * Reads PDF values from any position of a byte sequence. Names are returned unescaped, so that `/J#61vaScript` cannot
 * hide `/JavaScript`. Throws a FileFault for an incomplete value.
 */
export class PdfLexer {
  readonly #bytes: Buffer;
  /** The number of skipped bytes that only some readers treat as whitespace. */
  #disputed = 0;
  /** Whether a value contained the start or end of an object, at which other readers may resynchronize. */
  isUnclear = false;
  position = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    this.#skipSpace();
    return this.position >= this.#bytes.length;
  }

  /** Reads the next complete value. A stray closing delimiter counts as a word. */
  readValue(): PdfValue {
    const token = this.#readToken();
    return this.#complete(token, 0);
  }

  /** Reads the content of an object, which may be a reference to another object. */
  readContent(): PdfValue {
    const value = this.readValue();
    const after = this.position;
    if (value.kind !== 'number') return value;
    const reference = this.#readToken();
    const isReference = reference.kind === 'number' && this.skipWord('R');
    if (!isReference) this.position = after;
    return isReference ? { kind: 'reference', number: parsePdfCount(value) } : value;
  }

  /** Skips a word if it comes next. */
  skipWord(word: string): boolean {
    this.#skipSpace();
    if (this.#bytes.toString('latin1', this.position, this.position + word.length) !== word) return false;
    this.position += word.length;
    return true;
  }

  #complete(token: Token, depth: number): PdfValue {
    if (token.kind !== 'mark') return token;
    if (depth > depthMax) throw new FileFault('broken');
    if (token.mark === '[') return { kind: 'array', items: this.#readItems(']', depth + 1) };
    if (token.mark === '<<') return this.#readDictionary(depth + 1);
    return { kind: 'word', word: token.mark };
  }

  #readDictionary(depth: number): PdfDictionary {
    const before = this.#disputed;
    const items = this.#readItems('>>', depth);
    return { kind: 'dictionary', entries: toEntries(items, this.#disputed > before) };
  }

  #readItems(close: ']' | '>>', depth: number): PdfValue[] {
    const items: PdfValue[] = [];
    while (true) {
      const token = this.#readToken();
      if (token.kind === 'mark' && token.mark === close) return items;
      if (token.kind === 'mark' && token.mark === 'end') throw new FileFault('broken');
      if (token.kind === 'word' && token.word.endsWith('obj')) this.isUnclear = true;
      const reference = token.kind === 'word' && token.word === 'R' ? toReference(items) : undefined;
      if (reference === undefined) items.push(this.#complete(token, depth));
      else items.splice(-2, 2, reference);
    }
  }

  #readToken(): Token {
    this.#skipSpace();
    const bytes = this.#bytes;
    const byte = bytes[this.position];
    if (byte === undefined) return { kind: 'mark', mark: 'end' };
    if (byte === 0x2f) return this.#readName();
    if (byte === 0x28) return this.#readString();
    if (byte === 0x5b || byte === 0x5d) return this.#mark(byte === 0x5b ? '[' : ']', 1);
    if (byte === 0x3c) return bytes[this.position + 1] === 0x3c ? this.#mark('<<', 2) : this.#readHexString();
    if (byte === 0x3e && bytes[this.position + 1] === 0x3e) return this.#mark('>>', 2);
    if (classes[byte] === delimiter) {
      this.position += 1;
      return { kind: 'word', word: String.fromCharCode(byte) };
    }
    const word = this.#readRegular();
    return numberForm.test(word) ? { kind: 'number', value: Number(word) } : { kind: 'word', word };
  }

  #mark(mark: '<<' | '>>' | '[' | ']', length: number): Token {
    this.position += length;
    return { kind: 'mark', mark };
  }

  #readRegular(): string {
    const start = this.position;
    const bytes = this.#bytes;
    while (this.position < bytes.length && classes[bytes[this.position] ?? 0] === 0) this.position += 1;
    return bytes.toString('latin1', start, this.position);
  }

  #readName(): Token {
    this.position += 1;
    const written = this.#readRegular();
    if (!written.includes('#')) return { kind: 'name', name: written };
    const name = written.replaceAll(/#([0-9a-fA-F]{2})/g, (_, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    );
    return { kind: 'name', name };
  }

  #readString(): Token {
    let depth = 0;
    const bytes = this.#bytes;
    for (; this.position < bytes.length; this.position += 1) {
      const byte = bytes[this.position];
      if (byte === 0x5c) this.position += 1;
      else if (byte === 0x28) depth += 1;
      else if (byte === 0x29) {
        depth -= 1;
        if (depth > 0) continue;
        this.position += 1;
        return { kind: 'string' };
      }
    }
    throw new FileFault('broken');
  }

  #readHexString(): Token {
    const end = this.#bytes.indexOf(0x3e, this.position);
    if (end === -1) throw new FileFault('broken');
    this.position = end + 1;
    return { kind: 'string' };
  }

  #skipSpace(): void {
    const bytes = this.#bytes;
    while (this.position < bytes.length) {
      const byte = bytes[this.position] ?? 0;
      if (byte === 0x25) {
        while (this.position < bytes.length && bytes[this.position] !== 10 && bytes[this.position] !== 13) {
          this.position += 1;
        }
      } else if (classes[byte] !== whitespace) return;
      else {
        if (byte >= 0x80) this.#disputed += 1;
        this.position += 1;
      }
    }
  }
}

function toReference(items: readonly PdfValue[]): PdfValue | undefined {
  const [number, generation] = items.slice(-2);
  if (number?.kind !== 'number' || generation?.kind !== 'number') return undefined;
  return { kind: 'reference', number: parsePdfCount(number) };
}

// If names and values do not alternate for all readers, readers disagree about the keys. Every name then counts as a
// key, and the next item as its value.
function toEntries(items: readonly PdfValue[], isDisputed: boolean): [string, PdfValue][] {
  const isRegular =
    !isDisputed && items.length % 2 === 0 && items.every((item, at) => at % 2 === 1 || item.kind === 'name');
  const entries: [string, PdfValue][] = [];
  for (let at = 0; at < items.length; at += isRegular ? 2 : 1) {
    const [key, value] = items.slice(at, at + 2);
    if (key?.kind === 'name') entries.push([key.name, value ?? { kind: 'word', word: 'null' }]);
  }
  return entries;
}
