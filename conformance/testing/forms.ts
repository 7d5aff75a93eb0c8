import type { ProxiedRequest } from './passing.ts';

/** A part of a form that passes the proxy; its content has one character per byte. */
export interface ProxiedPart {
  readonly name: string;
  readonly head: string;
  readonly content: string;
}

/** The parts of the form in a request; empty for other requests. */
export function partsOf(request: ProxiedRequest): readonly ProxiedPart[] {
  const boundary = boundaryOf(request);
  if (boundary === undefined) return [];
  return request.body
    .split(`--${boundary}`)
    .slice(1, -1)
    .map((part) => {
      const end = part.indexOf('\r\n\r\n');
      const head = part.slice(2, end);
      return { name: /name="([^"]*)"/.exec(head)?.[1] ?? '', head, content: part.slice(end + 4, -2) };
    });
}

export function partOf(request: ProxiedRequest, name: string): string | undefined {
  return partsOf(request).find((part) => part.name === name)?.content;
}

export function withParts(request: ProxiedRequest, parts: readonly ProxiedPart[]): ProxiedRequest {
  const boundary = boundaryOf(request);
  const written = parts.map(({ head, content }) => `--${boundary}\r\n${head}\r\n\r\n${content}\r\n`);
  return { ...request, body: `${written.join('')}--${boundary}--\r\n` };
}

export function withField(request: ProxiedRequest, name: string, content: string): ProxiedRequest {
  return withParts(
    request,
    partsOf(request).map((part) => (part.name === name ? { ...part, content } : part)),
  );
}

export function formField(name: string, content: string): ProxiedPart {
  return { name, head: `Content-Disposition: form-data; name="${name}"`, content };
}

function boundaryOf(request: ProxiedRequest): string | undefined {
  return /^multipart\/form-data; boundary=(\S+)$/.exec(request.headers['content-type'] ?? '')?.[1];
}
