import { existsSync } from 'node:fs';
import { cruise, type ICruiseResult } from 'dependency-cruiser';
import { importRules } from './dependency-rules.ts';

const folders = 'contract server sdk cli-core cli mcp conformance examples bench testing browser site scripts'.split(
  ' ',
);

/** Includes type imports and tests, and applies the rules. */
export async function readImports(): Promise<ICruiseResult> {
  const { output } = await cruise(folders.filter(existsSync), {
    ruleSet: { forbidden: importRules },
    validate: true,
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '/(dist|\\.astro)/' },
  });
  if (typeof output === 'string') throw new Error(output);
  return output;
}
