import { BlockList, isIP } from 'node:net';

/** One setting: its environment variable and how to parse it. */
export interface Setting<T> {
  readonly variable: string;
  readonly meaning: string;
  /** A description of the permitted values. */
  readonly form: string;
  readonly fallback: T;
  /** Whether the whole value is a secret, or an address that may contain a password. */
  readonly secret: 'whole' | 'in-url' | undefined;
  /** Parses the text; throws an error with the reason if it is invalid. */
  read(text: string): T;
}

const loopback = /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/i;

/** Whether a host, or the host of a URL, is in 127.0.0.0/8, `::1` or `localhost`. */
export function isLoopback(host: string): boolean {
  return loopback.test(host);
}

type Unnamed<T> = Omit<Setting<T>, 'variable'>;

/** Assigns each setting the environment variable that follows from its name and a prefix. */
export function withVariablePrefix<S extends Readonly<Record<string, Unnamed<unknown>>>>(prefix: string, settings: S) {
  const entries = Object.entries(settings).map(([name, setting]) => {
    const variable = prefix + name.replaceAll(/[A-Z]/g, '_$&').toUpperCase();
    return [name, { variable, ...setting }];
  });
  return Object.fromEntries(entries) as { readonly [Name in keyof S]: S[Name] & { readonly variable: string } };
}

function setting<T>(
  fallback: T,
  meaning: string,
  form: string,
  read: (text: string) => T,
  secret?: Setting<T>['secret'],
): Unnamed<T> {
  return { fallback, meaning, form, read, secret };
}

export const textSetting = (fallback: string, meaning: string) => setting(fallback, meaning, 'text', (value) => value);

export function hostSetting(fallback: string, meaning: string): Unnamed<string> {
  return setting(fallback, meaning, 'address or host name', (value) => {
    const host = value.includes(':') ? `[${value}]` : value;
    if (/^[\w.:-]+$/.test(value) && URL.canParse(`http://${host}`)) return value;
    throw new Error('must be an address such as 127.0.0.1, ::1 or 0.0.0.0, or a host name');
  });
}

export const optionalFolder = (meaning: string) =>
  setting<string | undefined>(undefined, meaning, 'folder', (value) => value);

/** The text must match a pattern and may contain a password. */
export function optionalConnectionUrl(meaning: string, form: RegExp): Unnamed<string | undefined> {
  const read = (value: string) => {
    if (form.test(value) && isDecodable(value)) return value;
    throw new Error(
      `must be ${meaning.split(' ')[0]}; percent-encode special characters in the user name and password`,
    );
  };
  return setting<string | undefined>(undefined, meaning, meaning.split(' ')[0] ?? '', read, 'in-url');
}

function isDecodable(value: string): boolean {
  try {
    const { username, password, pathname } = new URL(value);
    for (const part of [username, password, pathname]) decodeURIComponent(part);
    return true;
  } catch {
    return false;
  }
}

export function countSetting(
  fallback: number,
  meaning: string,
  max = Number.MAX_SAFE_INTEGER,
  min = 0,
): Unnamed<number> {
  return setting(fallback, meaning, formatRange(max, min), (value) => readCount(value, max, min));
}

export function optionalCount(meaning: string, max = Number.MAX_SAFE_INTEGER): Unnamed<number | undefined> {
  return setting<number | undefined>(undefined, meaning, formatRange(max, 0), (value) => readCount(value, max));
}

function formatRange(max: number, min: number): string {
  return max === Number.MAX_SAFE_INTEGER ? `${min} or more` : `${min} to ${max.toLocaleString('en')}`;
}

function readCount(value: string, max: number, min = 0): number {
  if (/^\d{1,16}$/.test(value) && Number(value) <= max && Number(value) >= min) return Number(value);
  throw new Error(`must be an integer from ${min} to ${max}, in digits`);
}

export function fractionSetting(fallback: number, meaning: string): Unnamed<number> {
  return setting(fallback, meaning, '0 to 1', (value) => {
    if (/^(0?\.\d{1,9}|[01](\.0{1,9})?)$/.test(value)) return Number(value);
    throw new Error('must be a number from 0 to 1, such as 0.1');
  });
}

export function choiceSetting<const W extends readonly [string, ...string[]]>(
  words: W,
  meaning: string,
  fallback: W[number] = words[0],
): Unnamed<W[number]> {
  return setting<W[number]>(fallback, meaning, words.join(', '), (value) => {
    const word = words.find((known) => known === value);
    if (word === undefined) throw new Error(`must be one of ${words.join(', ')}`);
    return word;
  });
}

export function addressList(meaning: string): Unnamed<readonly string[]> {
  return setting<readonly string[]>([], meaning, 'addresses and CIDR ranges, comma-separated; false', (value) => {
    if (value === 'false') return [];
    const entries = value.split(',').map((entry) => entry.trim());
    const wrong = entries.filter((entry) => !isAddressOrRange(entry));
    if (wrong.length === 0) return entries;
    throw new Error(
      `must be false, or a comma-separated list of addresses and CIDR ranges; invalid: ${wrong.join(', ') || '(empty)'}`,
    );
  });
}

export function originList(meaning: string): Unnamed<readonly string[]> {
  return setting<readonly string[]>([], meaning, 'origins like https://app.example.org, comma-separated', (value) => {
    const entries = value.split(',').map((entry) => entry.trim());
    const wrong = entries.filter((entry) => !isOrigin(entry));
    if (wrong.length === 0) return entries;
    const why = wrong.includes('*') ? '; with * every web page could call the API: list the origins of your pages' : '';
    throw new Error(
      `must be a comma-separated list of origins such as https://app.example.org, without a path; invalid: ${wrong.join(', ') || '(empty)'}${why}`,
    );
  });
}

function isOrigin(entry: string): boolean {
  const url = URL.parse(entry);
  return url !== null && /^https?:$/.test(url.protocol) && url.origin === entry;
}

function isAddressOrRange(entry: string): boolean {
  const [address = '', prefix, ...rest] = entry.split('/');
  const version = isIP(address);
  if (version === 0 || rest.length > 0) return false;
  if (prefix === undefined) return true;
  if (!/^\d{1,3}$/.test(prefix)) return false;
  try {
    new BlockList().addSubnet(address, Number(prefix), version === 4 ? 'ipv4' : 'ipv6');
    return true;
  } catch {
    return false;
  }
}

export function publicUrl(meaning: string): Unnamed<string | undefined> {
  return setting<string | undefined>(undefined, meaning, 'http://… or https://…', (value) => {
    // The address is printed in documents, so it must not contain anything else, such as credentials.
    const isPlain = /^https?:\/\/[^\s/?#@\\]+(\/[^\s?#]*)?$/.test(value) && URL.canParse(value);
    if (!isPlain) throw new Error('must be an address like https://agents.example.org');
    return value.replace(/(?<!\/)\/+$/, '');
  });
}

export function optionalLine(meaning: string): Unnamed<string | undefined> {
  return setting<string | undefined>(undefined, meaning, 'one line', (value) => {
    if (/^[^\p{Cc}\p{Cs}]{1,200}$/u.test(value)) return value;
    throw new Error('must be one line of at most 200 characters');
  });
}

export function optionalLink(meaning: string): Unnamed<string | undefined> {
  return setting<string | undefined>(undefined, meaning, 'http://… or https://…', (value) => {
    if (isLink(value)) return value;
    throw new Error('must be an address like https://example.org/terms');
  });
}

export function optionalContact(meaning: string): Unnamed<string | undefined> {
  return setting<string | undefined>(undefined, meaning, 'e-mail or web address', (value) => {
    if (/^[^\s@<>"?&]+@[^\s@<>"?&]+$/.test(value) || isLink(value)) return value;
    throw new Error('must be an address like operator@example.org or https://example.org/contact');
  });
}

function isLink(value: string): boolean {
  return /^https?:\/\/[^\s@\\]+$/.test(value) && URL.canParse(value);
}

export function optionalSecret(meaning: string): Unnamed<string | undefined> {
  const read = (value: string) => {
    if (/^[\x21-\x7e]+$/.test(value)) return value;
    throw new Error('must be text without spaces and line breaks');
  };
  return setting<string | undefined>(undefined, meaning, 'secret text', read, 'whole');
}

export function storageUrl(meaning: string): Unnamed<string | undefined> {
  return setting<string | undefined>(undefined, meaning, 'file:///… or s3://bucket/prefix', (value) => {
    if (/^(file:\/\/\/\S*|s3:\/\/[^/\s@?]+(\/[^\s?]*)?)$/.test(value)) return value;
    throw new Error('must be file:///… or s3://bucket/prefix, without keys in it');
  });
}
