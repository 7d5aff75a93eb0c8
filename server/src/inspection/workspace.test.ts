import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeTestFolder } from '@agent-platform/testing/test-folder';
import { expect, it } from 'vitest';
import { mediaTypes } from './verdict.ts';
import { InspectorWorkspace } from './workspace.ts';

it('the workspace of an inspector lends a file and leaves nothing behind', async () => {
  const folder = makeTestFolder();
  const file = join(folder, 'upload');
  writeFileSync(file, 'a file');
  const limits = { imageMaxPixels: 1, pdfMaxPages: 1, previewMaxPixelsPerSide: 1, previewMaxBytes: 1 };
  const workspace = new InspectorWorkspace(folder);

  const lent = await workspace.lend({ file, fileBytes: 6, accepts: mediaTypes, ...limits });
  expect(readFileSync(lent.file, 'utf8')).toBe('a file');
  await workspace.takeBack();
  expect(existsSync(lent.file)).toBe(false);
  await workspace.remove();
  expect(readdirSync(folder)).toEqual(['upload']);
});
