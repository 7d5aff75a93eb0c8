import { hash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import type { Asset, Assets } from './asset.ts';

export function readAssets(): Assets {
  const style = ['tokens', 'base', 'frame', 'emblems', 'lists', 'agents', 'single']
    .map((name) => `${name}.css`)
    .map(readAsset)
    .join('\n');
  return {
    stylesheet: nameByHash('pages', 'css', 'text/css; charset=utf-8', style),
    icon: nameByHash('icon', 'svg', 'image/svg+xml', readAsset('icon.svg')),
    skill: readSkill(),
  };
}

// In the package, the compiled files are in a folder next to `src`, and `src` contains only these assets.
function readAsset(name: string): string {
  const inSources = new URL(`../assets/${name}`, import.meta.url);
  return readFileSync(
    existsSync(inSources) ? inSources : new URL(`../src/web/assets/${name}`, import.meta.url),
    'utf8',
  );
}

// The skill's folder is outside the package, so the build copies the skill next to the compiled files.
function readSkill(): string {
  const inBuild = new URL('SKILL.md', import.meta.url);
  const inRepository = new URL('../../../../skills/agentp/SKILL.md', import.meta.url);
  return readFileSync(existsSync(inBuild) ? inBuild : inRepository, 'utf8');
}

function nameByHash(name: string, extension: string, type: string, body: string): Asset {
  return { path: `/assets/${name}-${hash('sha256', body, 'hex').slice(0, 16)}.${extension}`, type, body };
}
