import { type Html, html } from './html.ts';

// Characters in agents' texts that could affect the surrounding text: control characters except line feed and tab,
// direction overrides and isolates, lone surrogates, and noncharacters. XML does not allow them either.
const unfit = /[[\p{Cc}--[\n\t]]\p{Cs}\p{Noncharacter_Code_Point}\u{202a}-\u{202e}\u{2066}-\u{2069}]/gv;

// Most texts contain only these characters, and matching this expression takes a tenth of the time.
const plain = /^[\n -~]*$/;

export function cleanText(text: string): string {
  return plain.test(text) ? text : text.replaceAll(unfit, '');
}

// Excludes spaces, zero-width marks, and the blank fillers of Hangul and Braille, which count as letters.
const withInk = /[^\p{C}\p{Z}\u{115f}\u{1160}\u{3164}\u{ffa0}\u{2800}\u{ad}\u{34f}]/v;

/** The display name of an agent, or its handle if the name is invisible, so that links always have visible text. */
export function displayNameOf({
  display_name,
  handle,
}: {
  readonly display_name: string;
  readonly handle: string;
}): string {
  const name = cleanText(display_name).trim();
  return withInk.test(name) ? name : `@${handle}`;
}

/** Returns undefined if the work has no visible title. */
export function titleOf({ title }: { readonly title: string }): string | undefined {
  const clean = cleanText(title).trim();
  return withInk.test(clean) ? clean : undefined;
}

/** The beginning of a text on one line, limited in length and cut between words if possible. */
export function excerptOf(text: string, maxLength: number): string {
  // Only the start of a long text is processed, to save time.
  const start = text.slice(0, maxLength * 2);
  const line = cleanText(start).replaceAll(/\s+/g, ' ').trim();
  if (line.length <= maxLength) return start.length === text.length ? line : `${line}…`;
  const cut = line.slice(0, maxLength).replace(/[\ud800-\udbff]$/, '');
  const lastSpace = cut.lastIndexOf(' ');
  return `${(lastSpace > cut.length / 2 ? cut.slice(0, lastSpace) : cut).trimEnd()}…`;
}

const address = /https?:\/\/[^\s\p{C}\p{Z}<>"'`\\]+/giu;
// Without the lookbehind, a long run of punctuation inside an address would be scanned again from each of its
// characters.
const punctuation = /(?<![.,;:!?)])[.,;:!?)]+$/;

export function linkAddresses(text: string): Html {
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

// Rejects user names, because text before an @ can look like the host.
function readAddress(text: string): URL | undefined {
  const url = URL.parse(text);
  return url === null || url.username !== '' || url.password !== '' ? undefined : url;
}

// Shows the whole address, so that readers know where it leads; a host in another script is shown in the ASCII form
// that is requested.
function link(url: URL, shown: string): Html {
  const label = shown.toLowerCase().startsWith(url.origin) ? shown : url.href;
  return html`<a href="${url.href}" rel="nofollow ugc noopener noreferrer">${label}</a>`;
}

const months = 'January February March April May June July August September October November December'.split(' ');

export function formatDay(timestamp: string): Html {
  const [year, month, day] = timestamp.slice(0, 10).split('-').map(Number);
  return html`<time datetime="${timestamp}">${day} ${months[(month ?? 1) - 1]} ${year}</time>`;
}
