import type { Palette, Point } from './svg.ts';
import { makeRandom, n, polar, times } from './svg.ts';

/** A document of a cover and pages of text. */
export interface DocumentText {
  readonly title: string;
  readonly subtitle: string;
  readonly sections: readonly { readonly heading: string; readonly paragraphs: readonly string[] }[];
}

// A4 in points; the standard fonts of PDF need no file.
const [pageWidth, pageHeight] = [595, 842];
const margin = 72;
const lineWidth = 76;

/** Within the middle of the cover, which is what a list shows of it. */
const titleTop = 318;

/** Prints a document as a PDF, a page for each section. */
export function printDocument({ title, subtitle, sections }: DocumentText, palette: Palette): Buffer {
  const cover = drawCover(title, subtitle, palette);
  const pages = sections.map(({ heading, paragraphs }, index) => printPage(heading, paragraphs, index + 2, palette));
  return joinPages([cover, ...pages], title);
}

function drawCover(title: string, subtitle: string, { deep, mid, soft, pale, accent }: Palette): string {
  const random = makeRandom(title);
  const centre: Point = [pageWidth * 0.62, pageHeight * 0.72];
  const discs = [
    disc(centre, 250, mid),
    disc(centre, 178, soft),
    disc(centre, 112, accent),
    ...times(16, (index) => disc(polar(centre, (index / 16) * Math.PI * 2, 214), 7, index % 4 === 0 ? accent : pale)),
    ...times(9, () => disc([random.between(30, 560), random.between(430, 825)], random.between(2, 5), pale)),
    disc(centre, 46, deep),
  ];
  const lines = wrap(title, 22);
  const heading = lines.map((line, index) => text(line, [margin, titleTop - index * 42], 36, 'F2', pale));
  const below = text(subtitle, [margin, titleTop - lines.length * 42 - 4], 14, 'F1', soft);
  const rule = `${colour(accent)} ${margin} ${titleTop + 52} 64 6 re f`;
  return [`${colour(deep)} 0 0 ${pageWidth} ${pageHeight} re f`, ...discs, rule, ...heading, below].join('\n');
}

function printPage(
  heading: string,
  paragraphs: readonly string[],
  number: number,
  { deep, mid, accent }: Palette,
): string {
  const printed = [
    `${colour('#ffffff')} 0 0 ${pageWidth} ${pageHeight} re f`,
    `${colour(accent)} ${margin} ${pageHeight - 82} 36 4 re f`,
    text(heading, [margin, pageHeight - 118], 22, 'F2', deep),
  ];
  let y = pageHeight - 158;
  for (const paragraph of paragraphs) {
    for (const line of wrap(paragraph, lineWidth)) {
      printed.push(text(line, [margin, y], 11.5, 'F1', '#222222'));
      y -= 17;
    }
    y -= 10;
  }
  printed.push(text(String(number), [pageWidth - margin - 10, 48], 10, 'F1', mid));
  return printed.join('\n');
}

/** A circle of four curves. */
function disc([x, y]: Point, r: number, fill: string): string {
  const k = r * 0.5523;
  const curve = (...at: readonly number[]) => `${at.map(n).join(' ')} c`;
  return [
    `${colour(fill)} ${n(x + r)} ${n(y)} m`,
    curve(x + r, y + k, x + k, y + r, x, y + r),
    curve(x - k, y + r, x - r, y + k, x - r, y),
    curve(x - r, y - k, x - k, y - r, x, y - r),
    `${curve(x + k, y - r, x + r, y - k, x + r, y)} f`,
  ].join('\n');
}

function text(content: string, [x, y]: Point, size: number, font: 'F1' | 'F2', fill: string): string {
  const escaped = content.replaceAll(/[\\()]/g, (character) => `\\${character}`);
  return `${colour(fill)} BT /${font} ${size} Tf ${n(x)} ${n(y)} Td (${escaped}) Tj ET`;
}

function colour(hex: string): string {
  const channels = [1, 3, 5].map((at) => (Number.parseInt(hex.slice(at, at + 2), 16) / 255).toFixed(3));
  return `${channels.join(' ')} rg`;
}

function wrap(content: string, width: number): readonly string[] {
  const lines: string[] = [];
  for (const word of content.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length < width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

function joinPages(contents: readonly string[], title: string): Buffer {
  const firstPage = 6;
  const kids = contents.map((_, index) => `${firstPage + index * 2} 0 R`).join(' ');
  const font = (name: string) => `<< /Type /Font /Subtype /Type1 /BaseFont /${name} /Encoding /WinAnsiEncoding >>`;
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${kids}] /Count ${contents.length} >>`,
    font('Helvetica'),
    font('Helvetica-Bold'),
    `<< /Title (${title.replaceAll(/[\\()]/g, '')}) >>`,
    ...contents.flatMap((content, index) => [
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${pageWidth} ${pageHeight}] /Contents ${firstPage + index * 2 + 1} 0 R /Resources << /Font << /F1 3 0 R /F2 4 0 R >> >> >>`,
      `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    ]),
  ];
  let printed = '%PDF-1.4\n';
  const rows = objects.map((object, index) => {
    const row = `${String(printed.length).padStart(10, '0')} 00000 n \n`;
    printed += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return row;
  });
  const start = printed.length;
  printed += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${rows.join('')}`;
  printed += `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R /Info 5 0 R >>\nstartxref\n${start}\n%%EOF\n`;
  // A character is a byte: every text of a document is in Latin-1.
  return Buffer.from(printed, 'latin1');
}
