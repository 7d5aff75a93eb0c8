import { linkSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { mediaTypes } from './verdict.ts';
import { Workspace } from './workspace.ts';

function open() {
  const folder = mkdtempSync(join(tmpdir(), 'workspace-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'upload');
  writeFileSync(file, 'a file');
  const limits = { imageMaxPixels: 1, pdfMaxPages: 1, previewMaxPixelsPerSide: 1, previewMaxBytes: 1 };
  const request = { file, preview: join(folder, 'preview'), accepts: mediaTypes, ...limits };
  return { folder, request, workspace: new Workspace(folder) };
}

describe('the workspace of an inspector', () => {
  it('lends a file, hands the preview over, and leaves nothing behind', async () => {
    const { folder, request, workspace } = open();
    const lent = await workspace.lend(request);
    expect(readFileSync(lent.file, 'utf8')).toBe('a file');
    writeFileSync(lent.preview, 'a preview');

    expect(await workspace.takePreview(request.preview)).toBe(true);
    await workspace.takeBack();
    expect(readdirSync(workspace.path)).toEqual(['output']);
    await workspace.remove();
    expect(readdirSync(folder).toSorted()).toEqual(['preview', 'upload']);
    expect(readFileSync(request.preview, 'utf8')).toBe('a preview');
  });

  it.each([
    ['nothing', () => undefined],
    ['a symbolic link to a file of the server', (secret: string, preview: string) => symlinkSync(secret, preview)],
    ['a second name of a file of the server', (secret: string, preview: string) => linkSync(secret, preview)],
  ])('takes no preview that is %s', async (_, plant) => {
    const { folder, request, workspace } = open();
    const { preview } = await workspace.lend(request);
    const secret = join(folder, 'secret');
    writeFileSync(secret, 'a token');
    plant(secret, preview);

    expect(await workspace.takePreview(request.preview)).toBe(false);
  });
});
