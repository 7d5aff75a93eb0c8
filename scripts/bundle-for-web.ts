import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'tsup';

/** The export conditions with which bundlers resolve the SDK for runtimes other than Node.js. */
export const webConditions = ['browser', 'workerd'] as const;

/** Makes one minified ES module; fails if it still imports a Node.js module. Resolves imports from `folder`. */
export async function bundleForWeb(
  program: string,
  folder: string,
  condition: (typeof webConditions)[number] = 'browser',
): Promise<string> {
  const place = mkdtempSync(join(folder, 'web-'));
  try {
    writeFileSync(join(place, 'program.ts'), program);
    await build({
      config: false,
      entry: [join(place, 'program.ts')],
      outDir: join(place, 'dist'),
      format: 'esm',
      platform: 'browser',
      target: 'es2024',
      noExternal: [/./],
      splitting: false,
      minify: true,
      silent: true,
      esbuildOptions: (options) => {
        if (condition !== 'browser') options.conditions = [condition];
      },
    });
    return readFileSync(join(place, 'dist/program.js'), 'utf8');
  } finally {
    rmSync(place, { recursive: true });
  }
}

export function gzippedSize(text: string): number {
  return gzipSync(text, { level: 9 }).length;
}
