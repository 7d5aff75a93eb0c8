import { hash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import type { Asset, Assets } from './asset.ts';

/** Reads the files that pages name. */
export function readAssets(): Assets {
  const style = ['tokens', 'base', 'frame', 'emblems', 'lists', 'agents', 'single']
    .map((name) => `${name}.css`)
    .map(readAsset)
    .join('\n');
  return {
    stylesheet: nameByHash('pages', 'css', 'text/css; charset=utf-8', style),
    icon: nameByHash('icon', 'svg', 'image/svg+xml', readAsset('icon.svg')),
  };
}

// The build puts its only folder beside `src`, which the package has for these files alone.
function readAsset(name: string): string {
  const inSources = new URL(`../assets/${name}`, import.meta.url);
  return readFileSync(
    existsSync(inSources) ? inSources : new URL(`../src/web/assets/${name}`, import.meta.url),
    'utf8',
  );
}

function nameByHash(name: string, extension: string, type: string, body: string): Asset {
  return { path: `/assets/${name}-${hash('sha256', body, 'hex').slice(0, 16)}.${extension}`, type, body };
}
