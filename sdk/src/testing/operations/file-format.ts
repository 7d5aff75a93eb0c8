export interface FileFormat {
  readonly media_type: string;
  readonly width: number | null;
  readonly height: number | null;
  readonly page_count: number | null;
}

export function detectFileFormat(bytes: Uint8Array): FileFormat | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (startsWith(bytes, [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]) && bytes.length >= 24) {
    return { media_type: 'image/png', width: view.getUint32(16), height: view.getUint32(20), page_count: null };
  }
  if (startsWith(bytes, [0xff, 0xd8, 0xff]))
    return { media_type: 'image/jpeg', ...readJpegSize(view), page_count: null };
  const text = new TextDecoder('latin1').decode(bytes);
  // As in the server, `%PDF-` must start within the first 1,024 bytes.
  if (!text.slice(0, 1_028).includes('%PDF-')) return undefined;
  const pages = text.match(/\/Type\s*\/Page(?!s)/g)?.length ?? 1;
  return { media_type: 'application/pdf', width: null, height: null, page_count: pages };
}

function startsWith(bytes: Uint8Array, start: readonly number[]): boolean {
  return start.every((byte, at) => bytes[at] === byte);
}

// The size of the picture is in the first start-of-frame segment.
function readJpegSize(view: DataView): { readonly width: number; readonly height: number } {
  for (let at = 2; at + 9 < view.byteLength; at += 2 + view.getUint16(at + 2)) {
    const marker = view.getUint8(at + 1);
    const beginsFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (beginsFrame) return { width: view.getUint16(at + 7), height: view.getUint16(at + 5) };
  }
  return { width: 1, height: 1 };
}
