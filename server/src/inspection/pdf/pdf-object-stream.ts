import { inflateSync, constants as zlib } from 'node:zlib';
import { errorCodeOf } from '../../platform/error-facts.ts';
import { FileFault } from '../verdict.ts';
import { findDictionaryValues, type PdfDictionary, PdfLexer, type PdfValue, parsePdfCount } from './pdf-lexer.ts';

export interface ReadingBudget {
  /** The number of bytes that may still be read as objects. */
  readable: number;
  /** The number of bytes to which compressed object streams may still expand. */
  inflatable: number;
}

/**
 * Reads the objects that are packed into a stream. Accepts only the plain form that common programs write and all
 * readers interpret in the same way, because the objects decide whether the file is harmless.
 */
export function readObjectStream(
  dictionary: PdfDictionary,
  bytes: Buffer,
  budget: ReadingBudget,
): { readonly number: number; readonly value: PdfValue }[] {
  const count = parsePdfCount(only(dictionary, 'N'));
  const first = parsePdfCount(only(dictionary, 'First'));
  const content = decode(dictionary, afterLineEnd(bytes), budget);
  const lexer = new PdfLexer(content);
  const places: { readonly number: number; readonly at: number }[] = [];
  for (let index = 0; index < count; index += 1) {
    places.push({ number: parsePdfCount(lexer.readValue()), at: first + parsePdfCount(lexer.readValue()) });
  }
  return places.map(({ number, at }) => {
    if (at >= content.length) throw new FileFault('broken');
    lexer.position = at;
    const value = lexer.readContent();
    budget.readable -= lexer.position - at;
    if (budget.readable < 0) throw new FileFault('too_costly');
    return { number, value };
  });
}

function only(dictionary: PdfDictionary, key: string): PdfValue | undefined {
  const [value, another] = findDictionaryValues(dictionary, key);
  if (another !== undefined) throw new FileFault('broken');
  return value;
}

function decode(dictionary: PdfDictionary, bytes: Buffer, budget: ReadingBudget): Buffer {
  const parameters = only(dictionary, 'DecodeParms');
  // Some readers also accept `DP`, the short name of these parameters in inline images.
  const hasOthers = findDictionaryValues(dictionary, 'DP').length > 0;
  if (hasOthers || (parameters !== undefined && !isPlain(parameters))) throw new FileFault('broken');
  const filter = only(dictionary, 'Filter');
  const filters = filter === undefined ? [] : filter.kind === 'array' ? filter.items : [filter];
  const [name, another] = filters;
  if (another !== undefined) throw new FileFault('broken');
  const content = name === undefined ? readPlain(bytes, dictionary) : inflate(name, bytes, budget);
  budget.inflatable -= content.length;
  // Extends the reading budget, so that each byte of the content may be read twice.
  budget.readable += content.length * 2;
  return content;
}

// Refuses a wrong length, because readers then search for the end of the stream.
function readPlain(bytes: Buffer, dictionary: PdfDictionary): Buffer {
  const length = parsePdfCount(only(dictionary, 'Length'));
  if (!/^\s*endstream/.test(bytes.toString('latin1', length, length + 16))) throw new FileFault('broken');
  return bytes.subarray(0, length);
}

function inflate(filter: PdfValue, bytes: Buffer, budget: ReadingBudget): Buffer {
  if (filter.kind !== 'name' || (filter.name !== 'FlateDecode' && filter.name !== 'Fl')) throw new FileFault('broken');
  try {
    // PDF readers accept a stream without its checksum, so it is also accepted here.
    return inflateSync(bytes, { finishFlush: zlib.Z_SYNC_FLUSH, maxOutputLength: Math.max(1, budget.inflatable) });
  } catch (error) {
    const isTooLong = errorCodeOf(error) === 'ERR_BUFFER_TOO_LARGE';
    throw new FileFault(isTooLong ? 'too_costly' : 'broken', error);
  }
}

// Whether parameters have no effect because they specify no predictor.
function isPlain(parameters: PdfValue | undefined): boolean {
  if (parameters?.kind === 'word') return parameters.word === 'null';
  if (parameters?.kind === 'array') return parameters.items.every(isPlain);
  if (parameters?.kind !== 'dictionary') return false;
  return parameters.entries.every(
    ([key, value]) => key !== 'Predictor' || (value.kind === 'number' && value.value === 1),
  );
}

// Readers skip the rest of the line after `stream`, so any bytes other than a line end are refused.
function afterLineEnd(bytes: Buffer): Buffer {
  if (bytes[0] === 13 && bytes[1] === 10) return bytes.subarray(2);
  if (bytes[0] === 10 || bytes[0] === 13) return bytes.subarray(1);
  throw new FileFault('broken');
}
