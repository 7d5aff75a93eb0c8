import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { exitCodes } from '@agent-platform/cli-core/errors/exit-codes';
import { expect, it } from 'vitest';
import { listFiles } from '../../scripts/list-files.ts';

const root = new URL('../../', import.meta.url);

it('lists the codes of agentp with their exit codes', () => {
  const sources = listFiles(fileURLToPath(root), 'cli/src/*.ts', 'cli-core/src/*.ts').filter(
    (path) => !path.endsWith('.test.ts'),
  );
  const codes = sources.flatMap((path) =>
    [...readFileSync(new URL(path, root), 'utf8').matchAll(/exitCodes\.(\w+),\s*'(\w+)'/g)].map(
      ([, name, code]) => `${code} ${Reflect.get(exitCodes, name ?? '')}`,
    ),
  );
  const own = [...codes, `usage ${exitCodes.usage}`, `interrupted ${exitCodes.interrupted}`].filter(
    (line) => line !== `done ${exitCodes.ok}`,
  );
  const [, table = ''] = readFileSync(new URL('cli/docs/output.md', root), 'utf8').split('## Codes of `agentp`');
  const [section = ''] = table.split('\n## ');
  const documented = [...section.matchAll(/^\| `(\w+)` \| (\d+) \|/gm)].map(([, code, exit]) => `${code} ${exit}`);
  expect(documented.toSorted()).toEqual([...new Set(own)].toSorted());
});
