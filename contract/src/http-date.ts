// The formats of RFC 9110, 5.6.7: the current one, and two obsolete ones that must still be accepted. All are in UTC.
const forms = [
  /^[a-z]{3}, (?<day>\d{2}) (?<month>[a-z]{3}) (?<year>\d{4}) (?<time>\d{2}:\d{2}:\d{2}) (?:gmt|utc)$/i,
  /^[a-z]{6,9}, (?<day>\d{2})-(?<month>[a-z]{3})-(?<year>\d{2}) (?<time>\d{2}:\d{2}:\d{2}) (?:gmt|utc)$/i,
  /^[a-z]{3} (?<month>[a-z]{3}) (?<day>[ \d]\d) (?<time>\d{2}:\d{2}:\d{2}) (?<year>\d{4})$/i,
];

/** Parses a date in a header to milliseconds since 1970; undefined if it is invalid. */
export function parseHttpDate(header: string, nowMs: number): number | undefined {
  const text = header.trim();
  const found = forms.map((form) => form.exec(text)?.groups).find((groups) => groups !== undefined);
  if (found === undefined) return undefined;
  const { day, month, year = '', time } = found;
  const at = (fullYear: number) => Date.parse(`${day} ${month} ${fullYear} ${time} GMT`);
  let ms = at(Number(year));
  if (year.length === 2) {
    const thisYear = new Date(nowMs).getUTCFullYear();
    const inCentury = thisYear - (thisYear % 100) + Number(year);
    // Interprets a two-digit year that would be more than 50 years ahead as a past year, as RFC 9110 requires.
    ms = at(inCentury > thisYear + 50 ? inCentury - 100 : inCentury);
  }
  return Number.isNaN(ms) ? undefined : ms;
}
