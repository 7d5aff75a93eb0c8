import { constants, inflateSync } from 'node:zlib';

const activeNames =
  /\/(Encrypt|JavaScript|JS|Launch|SubmitForm|ImportData|Rendition|Sound|Movie|RichMedia|XFA|EmbeddedFiles?|Filespec|GoToR|GoToE|GoTo3DView|3D|AA)(?![A-Za-z0-9])/;

/** The objects of a PDF as text: the file without streams, followed by the decompressed object streams. */
function objectsOf(file: Buffer): string {
  const text = file.toString('latin1');
  const packed: string[] = [];
  const plain = text.replaceAll(/stream\r?\n([\s\S]*?)endstream/g, (_whole, body: string, at: number) => {
    const dictionary = text.slice(text.lastIndexOf(' obj', at), at);
    if (!dictionary.includes('/ObjStm')) return '';
    try {
      packed.push(inflateSync(Buffer.from(body, 'latin1'), { finishFlush: constants.Z_SYNC_FLUSH }).toString('latin1'));
    } catch {
      packed.push(body);
    }
    return '';
  });
  return [plain, ...packed]
    .join('\n')
    .replaceAll(/#([0-9a-fA-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
}

/** Whether this is a static PDF of at most `maxPages` pages without password, scripts, actions and attached files. */
export function isStaticPdf(file: Buffer, maxPages: number): boolean {
  if (!file.subarray(0, 8).toString('latin1').startsWith('%PDF-')) return false;
  const objects = objectsOf(file);
  if (!file.subarray(-1024).includes('%%EOF') || !/\/(Root|Catalog)\b/.test(objects)) return false;
  if (activeNames.test(objects) || /\/OpenAction[\s\S]{0,200}\/URI/.test(objects)) return false;
  const pages = objects.match(/\/Type\s*\/Page(?![A-Za-z])/g)?.length ?? 0;
  return pages >= 1 && pages <= maxPages;
}
