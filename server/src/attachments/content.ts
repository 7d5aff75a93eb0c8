import { attachmentNamed, chooseRange, hasVersion, mayContinue } from './byte-range.ts';

/** Stored bytes to be served. */
export interface Content {
  readonly key: string;
  readonly bytes: number;
  /** Of these bytes; it identifies their version. */
  readonly sha256: string;
  readonly mediaType: string;
  readonly filename: string;
  /** Every reader gets the same answer. */
  readonly isPublic: boolean;
}

/** The headers of a request that select the content. */
interface ContentRequest {
  readonly range?: string | undefined;
  readonly ifRange?: string | undefined;
  readonly ifNoneMatch?: string | undefined;
}

type HeaderList = Readonly<Record<string, string>>;

/** The answer to a request for a file. */
type ContentPlan =
  | { readonly kind: 'unchanged'; readonly headers: HeaderList }
  | { readonly kind: 'unsatisfiable'; readonly headers: HeaderList }
  | { readonly kind: 'whole'; readonly headers: HeaderList }
  | { readonly kind: 'part'; readonly headers: HeaderList; readonly start: number; readonly end: number };

/** Plans the answer to a request for a file: its status, its headers and the bytes that go with it (D-39). */
export function planContent(content: Content, request: ContentRequest): ContentPlan {
  const etag = `"${content.sha256}"`;
  const version = {
    etag,
    'cache-control': content.isPublic ? 'public, no-cache' : 'private, no-cache',
    // The content depends on the reader.
    vary: 'authorization',
    'accept-ranges': 'bytes',
    ...securityHeaders,
  };
  if (hasVersion(request.ifNoneMatch, etag)) return { kind: 'unchanged', headers: version };
  const range = mayContinue(request.ifRange, etag) ? chooseRange(request.range, content.bytes) : wholeFile;
  if (range.kind === 'unsatisfiable') {
    return { kind: 'unsatisfiable', headers: { ...securityHeaders, 'content-range': `bytes */${content.bytes}` } };
  }
  const described = {
    ...version,
    'content-type': content.mediaType,
    'content-disposition': attachmentNamed(content.filename),
  };
  if (range.kind === 'whole') {
    return { kind: 'whole', headers: { ...described, 'content-length': String(content.bytes) } };
  }
  const { start, end } = range;
  const part = {
    'content-range': `bytes ${start}-${end}/${content.bytes}`,
    'content-length': String(end - start + 1),
  };
  return { kind: 'part', start, end, headers: { ...described, ...part } };
}

const wholeFile = { kind: 'whole' } as const;

// A browser must not execute any content of the bytes.
const securityHeaders = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "sandbox; default-src 'none'",
};
