import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { findDeadLinks } from './find-dead-links.ts';

it('finds the links of a package that lead out of it, or to missing files', () => {
  const folder = mkdtempSync(join(tmpdir(), 'links-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, 'docs'));
  const readme = `# One
[here](#two-words) [there](docs/more.md#the-end) [file](llms.txt) [site](https://platform.example/docs)
[out](../docs/more.md) [gone](docs/gone.md) [no heading](#three) [nor there](docs/more.md#one)
## Two words
\`\`\`ts
calls[name](../not-a-link);
\`\`\`
`;
  writeFileSync(join(folder, 'README.md'), readme);
  writeFileSync(join(folder, 'docs/more.md'), '# The `end`\n[back](../README.md#one)\n');
  writeFileSync(join(folder, 'llms.txt'), '[dist](dist/types.txt)\n');

  expect(findDeadLinks(folder).toSorted()).toEqual([
    'README.md: the link #three has no target in the package',
    'README.md: the link ../docs/more.md has no target in the package',
    'README.md: the link docs/gone.md has no target in the package',
    'README.md: the link docs/more.md#one has no target in the package',
    'llms.txt: the link dist/types.txt has no target in the package',
  ]);
});
