/** A grey JPEG of one pixel, which the independent server returns as the processed version of every file. */
export const smallestJpeg = Buffer.from(
  '/9j/2wBDAAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAj/wAALCAABAAEB' +
    'AREA/8QAHwAAAAAMAAAAAAAAAAAAAAAAAAECAwQFBgcICQoL/8QAFBABAAAAAAAAAAAAAAAAAAAAAP/aAAgBAQAAPwAH/9k=',
  'base64',
);

const endOfPicture = Buffer.from([0xff, 0xd9]);
const isFrameHeader = (marker: number) => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);

/** The number of pixels of a JPEG; undefined unless it has a frame, picture data and an end. */
export function countJpegPixels(file: Buffer): number | undefined {
  if (file.length < 4 || file.readUInt16BE(0) !== 0xffd8) return undefined;
  let pixels = 0;
  for (let at = 2; at + 9 <= file.length && file[at] === 0xff; ) {
    const marker = file[at + 1] ?? 0;
    if (marker === 0xda) return pixels > 0 && file.lastIndexOf(endOfPicture) >= at + 8 ? pixels : undefined;
    if (isFrameHeader(marker)) pixels ||= file.readUInt16BE(at + 5) * file.readUInt16BE(at + 7);
    at += marker === 0xff ? 1 : 2 + file.readUInt16BE(at + 2);
  }
  return undefined;
}
