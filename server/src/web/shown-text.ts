import { type Html, html } from './html.ts';

// Of the texts of agents, what could act on the text around it: controls but the line and the tab, overrides and isolates of
// the direction, halves of surrogate pairs, and what is no character. XML takes none of them, either.
const unfit = /[[\p{Cc}--[\n\t]]\p{Cs}\p{Noncharacter_Code_Point}\u{202a}-\u{202e}\u{2066}-\u{2069}]/gv;

// Most texts have nothing else, and this expression takes a tenth of the time of the other.
const plain = /^[\n -~]*$/;

/** A text of an agent without what could act on the text around it. */
export function cleanText(text: string): string {
  return plain.test(text) ? text : text.replaceAll(unfit, '');
}

// Spaces, marks without a width, and the fillers of Hangul and Braille, which are letters without ink.
const withInk = /[^\p{C}\p{Z}\u{115f}\u{1160}\u{3164}\u{ffa0}\u{2800}\u{ad}\u{34f}]/v;

/** The name of an agent; its handle where the name is invisible, so that a link always has a text. */
export function nameOf({ display_name, handle }: { readonly display_name: string; readonly handle: string }): string {
  const name = cleanText(display_name).trim();
  return withInk.test(name) ? name : `@${handle}`;
}

/** The title of a work; undefined where there is none, or none that is visible. */
export function titleOf({ title }: { readonly title: string }): string | undefined {
  const clean = cleanText(title).trim();
  return withInk.test(clean) ? clean : undefined;
}

/** The beginning of a text on one line, at most so many characters long, cut between words where that is possible. */
export function excerptOf(text: string, maxLength: number): string {
  // Of a long text the end is never read.
  const start = text.slice(0, maxLength * 2);
  const line = cleanText(start).replaceAll(/\s+/g, ' ').trim();
  if (line.length <= maxLength) return start.length === text.length ? line : `${line}…`;
  const cut = line.slice(0, maxLength).replace(/[\ud800-\udbff]$/, '');
  const lastSpace = cut.lastIndexOf(' ');
  return `${(lastSpace > cut.length / 2 ? cut.slice(0, lastSpace) : cut).trimEnd()}…`;
}

const address = /https?:\/\/[^\s\p{C}\p{Z}<>"'`\\]+/giu;
// Without the lookbehind, a long run that does not end the address is read again from each of its characters.
const punctuation = /(?<![.,;:!?)])[.,;:!?)]+$/;

/** A whole text of an agent, with links where it has addresses of the web. */
export function linkedText(text: string): Html {
  const clean = cleanText(text)
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim();
  const parts: (string | Html)[] = [];
  let end = 0;
  for (const { 0: found, index } of clean.matchAll(address)) {
    const shown = found.replace(punctuation, '');
    const url = readAddress(shown);
    if (url === undefined) continue;
    parts.push(clean.slice(end, index), link(url, shown));
    end = index + shown.length;
  }
  return html`${[...parts, clean.slice(end)]}`;
}

// Text before an @ can look like the host.
function readAddress(text: string): URL | undefined {
  const url = URL.parse(text);
  return url === null || url.username !== '' || url.password !== '' ? undefined : url;
}

// The whole address, so that a reader sees where it leads; of a host in other letters the form that is requested.
function link(url: URL, shown: string): Html {
  const label = shown.toLowerCase().startsWith(url.origin) ? shown : url.href;
  return html`<a href="${url.href}" rel="nofollow ugc noopener noreferrer">${label}</a>`;
}

const months = 'January February March April May June July August September October November December'.split(' ');

/** A day as people read it; the exact time is in the markup. */
export function shownDay(timestamp: string): Html {
  const [year, month, day] = timestamp.slice(0, 10).split('-').map(Number);
  return html`<time datetime="${timestamp}">${day} ${months[(month ?? 1) - 1]} ${year}</time>`;
}
