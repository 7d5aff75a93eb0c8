import { deflateSync } from 'node:zlib';
import { makePdf, makePdfStream } from './pdf-maker.ts';

/**
 * Makes a small file whose inspection takes its full time limit but little memory. It has a shading whose colour is
 * computed for every pixel by a program with many steps.
 */
export function makeSlowPdf(): Buffer {
  const program = deflateSync(`{ pop 200 div ${'1 add 1 sub '.repeat(10_000)}}`, { level: 9 }).toString('latin1');
  return makePdf({
    page: '/Contents 10 0 R /Resources << /Shading << /S 11 0 R >> >>',
    objects: [
      makePdfStream('', '/S sh'),
      '<< /ShadingType 1 /ColorSpace /DeviceGray /Domain [0 200 0 100] /Function 12 0 R >>',
      makePdfStream('/FunctionType 4 /Domain [0 200 0 100] /Range [0 1] /Filter /FlateDecode', program),
    ],
  });
}
