/** A part of a form: a field, or a file if it has a name. */
export interface FormPart {
  readonly name: string;
  readonly content: string | Uint8Array;
  readonly filename?: string;
  /** The media type that the client declares. */
  readonly type?: string;
}

/** Encodes a form as multipart/form-data. */
export async function encodeForm(parts: readonly FormPart[]) {
  const form = new FormData();
  for (const { name, content, filename, type = 'application/octet-stream' } of parts) {
    if (filename === undefined) form.append(name, content.toString());
    else form.append(name, new Blob([Buffer.from(content)], { type }), filename);
  }
  const encoded = new Response(form);
  return {
    /** The Content-Type with the boundary. */
    type: encoded.headers.get('content-type') ?? '',
    bytes: Buffer.from(await encoded.arrayBuffer()),
    /** The form without the bytes of its files, for reports. */
    description: parts.map(describe).join(', '),
  };
}

function describe({ name, content, filename, type }: FormPart): string {
  if (filename === undefined) return `${name}=${content}`;
  return `${name}=(${Buffer.from(content).length} bytes, "${filename}", ${type ?? 'application/octet-stream'})`;
}
