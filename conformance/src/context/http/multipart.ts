/** A part of a form: a field, or a file if it has a file name. */
export interface FormPart {
  readonly name: string;
  readonly content: string | Uint8Array;
  readonly filename?: string;
  /** The media type that the client declares. */
  readonly type?: string;
}

export function encodeForm(parts: readonly FormPart[], boundary: string) {
  const encoded = parts.flatMap(({ name, content, filename, type = 'application/octet-stream' }) => {
    const file = filename === undefined ? '' : `; filename="${quoted(filename)}"\r\nContent-Type: ${type}`;
    const head = `--${boundary}\r\nContent-Disposition: form-data; name="${quoted(name)}"${file}\r\n\r\n`;
    return [Buffer.from(head), Buffer.from(content), Buffer.from('\r\n')];
  });
  return {
    type: `multipart/form-data; boundary=${boundary}`,
    bytes: Buffer.concat([...encoded, Buffer.from(`--${boundary}--\r\n`)]),
    /** The body of the form without the content of its files, for reports. */
    description: parts
      .map(({ name, content, filename, type = 'application/octet-stream' }) =>
        filename === undefined
          ? `${name}=${content}`
          : `${name}=(${Buffer.from(content).length} bytes, "${filename}", ${type})`,
      )
      .join(', '),
  };
}

// Escapes a name as browsers do.
function quoted(name: string): string {
  return name.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}
