import { randomBytes } from 'node:crypto';

/** A part of a form: a field, or a file where it has a name. */
export interface FormPart {
  readonly name: string;
  readonly content: string | Uint8Array;
  readonly filename?: string;
  /** What the client says that the file is. */
  readonly type?: string;
}

/** A form as it goes out. */
export interface EncodedForm {
  /** The Content-Type, with the boundary. */
  readonly type: string;
  readonly bytes: Buffer;
  /** The form for people, without the bytes of its files. */
  readonly description: string;
}

/** Writes a form as multipart/form-data. */
export function encodeForm(parts: readonly FormPart[]): EncodedForm {
  const boundary = `conformance-${randomBytes(12).toString('hex')}`;
  const chunks = parts.flatMap((part) => [
    Buffer.from(`--${boundary}\r\n${headOf(part)}\r\n\r\n`),
    typeof part.content === 'string' ? Buffer.from(part.content) : part.content,
    Buffer.from('\r\n'),
  ]);
  return {
    type: `multipart/form-data; boundary=${boundary}`,
    bytes: Buffer.concat([...chunks, Buffer.from(`--${boundary}--\r\n`)]),
    description: parts.map(describe).join(', '),
  };
}

function headOf({ name, filename, type }: FormPart): string {
  const disposition = `Content-Disposition: form-data; name="${name}"`;
  if (filename === undefined) return disposition;
  return `${disposition}; filename="${filename}"\r\nContent-Type: ${type ?? 'application/octet-stream'}`;
}

function describe({ name, content, filename, type }: FormPart): string {
  if (typeof content === 'string' && filename === undefined) return `${name}=${content}`;
  return `${name}=(${Buffer.from(content).length} bytes, "${filename ?? ''}", ${type ?? 'application/octet-stream'})`;
}
