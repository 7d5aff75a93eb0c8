import { PDFiumModule } from '@hyzyla/pdfium';
import { FileFault } from '../verdict.ts';

/** The functions of PDFium that are used here, named as in its public headers. */
interface Engine {
  readonly HEAPU8: Uint8Array;
  readonly wasmExports: {
    malloc(bytes: number): number;
    readonly __indirect_function_table: { set(index: number, entry: unknown): void };
  };
  _FPDF_InitLibraryWithConfig(config: object): void;
  _FPDF_LoadMemDocument(at: number, bytes: number, password: number): number;
  _FPDF_GetLastError(): number;
  _FPDF_DocumentHasValidCrossReferenceTable(document: number): number;
  _FPDF_SaveAsCopy(document: number, writer: number, flags: number): number;
  _FPDF_GetSecurityHandlerRevision(document: number): number;
  _FPDFDoc_GetJavaScriptActionCount(document: number): number;
  _FPDFDoc_GetAttachmentCount(document: number): number;
  _FPDF_GetPageCount(document: number): number;
  _FPDF_LoadPage(document: number, index: number): number;
  _FPDF_GetPageWidth(page: number): number;
  _FPDF_GetPageHeight(page: number): number;
  _FPDFBitmap_CreateEx(width: number, height: number, format: number, at: number, stride: number): number;
  _FPDFBitmap_FillRect(bitmap: number, left: number, top: number, width: number, height: number, color: number): void;
  /** `placement` is left, top, width, height, rotation and flags. */
  _FPDF_RenderPageBitmap(bitmap: number, page: number, ...placement: readonly number[]): void;
}

const passwordError = 4;
const securityError = 5;
const notIncremental = 2;
const noSecurity = -1;
const bgra = 4;
const white = 0xffffffff;
const withAnnotations = 0x01;
const redFirst = 0x10;

// Limits the enlargement of very small pages.
const pixelsPerPointMax = 4;

/** A rendered page: rows of red, green, blue and alpha values. */
interface Drawing {
  readonly width: number;
  readonly height: number;
  readonly pixels: Uint8Array;
}

export interface PdfDocument {
  readonly engine: Engine;
  readonly document: number;
  /** Whether the engine found the objects through cross-references, without searching the file. */
  readonly hasCrossReferences: boolean;
  readonly pageCount: number;
}

let starting: Promise<Engine> | undefined;

/** Opens a PDF with PDFium; undefined if it is damaged. */
export async function openPdf(bytes: Uint8Array): Promise<PdfDocument | undefined> {
  starting ??= startEngine();
  const engine = await starting;
  const at = engine.wasmExports.malloc(bytes.length);
  if (at === 0) throw new FileFault('too_costly');
  engine.HEAPU8.set(bytes, at);
  const document = engine._FPDF_LoadMemDocument(at, bytes.length, 0);
  const isEncrypted =
    document === 0
      ? [passwordError, securityError].includes(engine._FPDF_GetLastError())
      : engine._FPDF_GetSecurityHandlerRevision(document) !== noSecurity;
  if (isEncrypted) throw new FileFault('encrypted');
  if (document === 0) return undefined;
  const hasCrossReferences = engine._FPDF_DocumentHasValidCrossReferenceTable(document) === 1;
  return { engine, document, hasCrossReferences, pageCount: engine._FPDF_GetPageCount(document) };
}

// The type definitions of Node.js lack these members.
const { Instance, Module } = (
  globalThis as unknown as {
    readonly WebAssembly: {
      readonly Module: new (bytes: Uint8Array) => object;
      readonly Instance: new (module: object, imports: object) => { readonly exports: { readonly f: unknown } };
    };
  }
).WebAssembly;

// A WebAssembly module with one import and one export. It converts a JavaScript function to the type (i32, i32, i32) ->
// i32, so that the engine can call it.
const typedFunction = Buffer.from(
  '0061736d01000000 0108016003 7f7f7f017f 02070101650166 0000 070501016600 00'.replaceAll(' ', ''),
  'hex',
);

/** Writes a plain file that contains each object of the newest revision that the engine can reach. */
export function writePlainCopy({ engine, document }: PdfDocument): Buffer {
  const parts: Buffer[] = [];
  const write = (_writer: number, at: number, length: number) => {
    parts.push(Buffer.from(engine.HEAPU8.slice(at, at + length)));
    return 1;
  };
  const { exports } = new Instance(new Module(typedFunction), { e: { f: write } });
  // The engine's table cannot grow, but its entry 0, the null function, is free.
  engine.wasmExports.__indirect_function_table.set(0, exports.f);
  const writer = engine.wasmExports.malloc(8);
  engine.HEAPU8.set([1, 0, 0, 0, 0, 0, 0, 0], writer);
  const isWritten = engine._FPDF_SaveAsCopy(document, writer, notIncremental) === 1;
  engine.wasmExports.__indirect_function_table.set(0, null);
  if (!isWritten) throw new FileFault('broken');
  return Buffer.concat(parts);
}

/** Renders the first page with at most `sideMax` pixels on its longer side, and checks again for forbidden content. */
export function drawFirstPage({ engine, document, pageCount }: PdfDocument, sideMax: number): Drawing {
  if (engine._FPDFDoc_GetJavaScriptActionCount(document) > 0) throw new FileFault('active');
  if (engine._FPDFDoc_GetAttachmentCount(document) > 0) throw new FileFault('embedded');
  if (pageCount < 1) throw new FileFault('broken');
  const page = engine._FPDF_LoadPage(document, 0);
  if (page === 0) throw new FileFault('broken');
  return drawPage(engine, page, sideMax);
}

async function startEngine(): Promise<Engine> {
  // The package only declares types for a part of its module.
  const engine = (await PDFiumModule({})) as unknown as Engine;
  engine._FPDF_InitLibraryWithConfig({
    version: 2,
    m_pIsolate: null,
    m_pUserFontPaths: null,
    m_v8EmbedderSlot: 0,
    m_pPlatform: null,
  });
  return engine;
}

function drawPage(engine: Engine, page: number, sideMax: number): Drawing {
  const { width, height } = fit(engine._FPDF_GetPageWidth(page), engine._FPDF_GetPageHeight(page), sideMax);
  const stride = width * 4;
  const at = engine.wasmExports.malloc(stride * height);
  if (at === 0) throw new FileFault('too_costly');
  const bitmap = engine._FPDFBitmap_CreateEx(width, height, bgra, at, stride);
  engine._FPDFBitmap_FillRect(bitmap, 0, 0, width, height, white);
  engine._FPDF_RenderPageBitmap(bitmap, page, 0, 0, width, height, 0, withAnnotations | redFirst);
  return { width, height, pixels: engine.HEAPU8.slice(at, at + stride * height) };
}

/** Computes the size of the image before rendering, because a page may claim any size. */
function fit(widthPoints: number, heightPoints: number, sideMax: number): { width: number; height: number } {
  const longer = Math.max(widthPoints, heightPoints);
  if (!(longer > 0) || !Number.isFinite(longer)) throw new FileFault('broken');
  const scale = Math.min(sideMax / longer, pixelsPerPointMax);
  const side = (points: number) => Math.min(sideMax, Math.max(1, Math.round(points * scale)));
  return { width: side(widthPoints), height: side(heightPoints) };
}
