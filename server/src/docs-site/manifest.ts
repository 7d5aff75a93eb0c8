/** A file of a built site. */
export interface SiteFile {
  readonly size: number;
  /** In hexadecimal digits. */
  readonly sha256: string;
}

/** What the build of a documentation site says about its files. */
export interface SiteManifest {
  /** The Content-Security-Policy of its pages, with the hashes of their inline scripts. */
  readonly policy: string;
  readonly files: ReadonlyMap<string, SiteFile>;
}

/** Parses the manifest of a built site; undefined when it has another form than the build gives it. */
export function parseSiteManifest(text: string): SiteManifest | undefined {
  const value = parseJson(text);
  if (!isRecord(value) || !isRecord(value['files']) || !isPolicy(value['policy'])) return undefined;
  const files = Object.entries(value['files']);
  if (!files.every(([name, file]) => isName(name) && isSiteFile(file))) return undefined;
  return { policy: value['policy'], files: new Map(files as [string, SiteFile][]) };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A header value that permits nothing by default. */
function isPolicy(value: unknown): value is string {
  return typeof value === 'string' && /^default-src 'none'; [\x20-\x7e]+$/.test(value);
}

/** A path below the folder, in parts that are names of files on every system. */
function isName(name: string): boolean {
  return /^[\w@.-]+(\/[\w@.-]+)*$/.test(name) && !name.split('/').some((part) => part === '.' || part === '..');
}

function isSiteFile(value: unknown): value is SiteFile {
  if (!isRecord(value)) return false;
  const { size, sha256 } = value;
  return Number.isSafeInteger(size) && typeof sha256 === 'string' && /^[0-9a-f]{64}$/.test(sha256);
}
