import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { OperatorFailure } from './failure.ts';

// Linux allows 107 bytes, macOS only 103.
const pathMaxBytes = 103;

export function operatorSocketPath(dataDir: string): string {
  return resolve(dataDir, 'operator.sock');
}

/**
 * Calls `use` with a path to the socket that is short enough for the operating system. A longer path is replaced by a
 * path through a temporary link to the folder.
 */
export async function withShortSocketPath<T>(path: string, use: (path: string) => Promise<T>): Promise<T> {
  if (Buffer.byteLength(path) <= pathMaxBytes) return await use(path);
  const { folder, link } = linkTo(dirname(path), path);
  try {
    return await use(join(link, basename(path)));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function linkTo(target: string, path: string): { readonly folder: string; readonly link: string } {
  try {
    const folder = mkdtempSync(join(tmpdir(), 'operator-'));
    const link = join(folder, 'd');
    if (Buffer.byteLength(join(link, basename(path))) > pathMaxBytes) {
      rmSync(folder, { recursive: true, force: true });
      throw new Error('the path of the temporary folder is also too long');
    }
    symlinkSync(target, link);
    return { folder, link };
  } catch (error) {
    const hint = 'Choose a shorter PLATFORM_DATA_DIR, or a short and writable temporary folder (TMPDIR).';
    const message = `${path} is too long for a socket, and a link to it could not be created. ${hint}`;
    throw new OperatorFailure('path_too_long', message, error);
  }
}
