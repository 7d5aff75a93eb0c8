import { createHash } from 'node:crypto';
import { globSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

export const siteManifestName = 'manifest.json';

export interface SiteManifest {
  readonly policy: string;
  readonly files: Readonly<Record<string, { readonly size: number; readonly sha256: string }>>;
}

export function buildSiteManifest(dist: string): SiteManifest {
  const names = globSync('**', { cwd: dist })
    .map((name) => name.replaceAll('\\', '/'))
    .filter((name) => name !== siteManifestName && statSync(join(dist, name)).isFile())
    .toSorted();
  const hashes = new Set<string>();
  const files = names.map((name) => {
    const content = readFileSync(join(dist, name));
    if (name.endsWith('.html')) for (const script of inlineScripts(content.toString())) hashes.add(script);
    return [name, { size: content.length, sha256: createHash('sha256').update(content).digest('hex') }] as const;
  });
  return { policy: policyOf([...hashes].toSorted()), files: Object.fromEntries(files) };
}

/** Returns the hashes of a page's inline scripts, which the content security policy permits. */
function inlineScripts(html: string): readonly string[] {
  return [...html.matchAll(/<script\b([^>]*)>(.*?)<\/script>/gs)]
    .filter(([, attributes = '']) => !/\bsrc=|type="application\/(ld\+)?json"/.test(attributes))
    .map(([, , text = '']) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`);
}

/** Permits WebAssembly for the search and inline styles, and otherwise only files of the site. */
function policyOf(hashes: readonly string[]): string {
  return [
    "default-src 'none'",
    `script-src 'self' 'wasm-unsafe-eval' ${hashes.join(' ')}`,
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
