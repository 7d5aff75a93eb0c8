import { constants } from 'node:fs';
import { type FileHandle, lstat, open, realpath, rm } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { ToolFailure } from '../tool-failure.ts';

/** The one folder whose files tools read and write. */
export type FilesFolder = Awaited<ReturnType<typeof openFilesFolder>>;

/**
 * Opens the folder. Links are resolved before a path is compared with it, and what is opened must be the file that was
 * compared; so a link inside the folder does not lead out of it.
 *
 * @param secretFolder must not be below it, with its keys
 * @throws ToolFailure `unsafe_files_folder`
 */
export async function openFilesFolder(path: string, secretFolder?: string) {
  const root = await realpath(resolve(path));
  if (secretFolder !== undefined && isInside(root, await realpath(secretFolder))) {
    const message = 'The folder for files holds the state of the agent, with its keys.';
    throw new ToolFailure('unsafe_files_folder', message, 'Give --files-folder a folder of its own.');
  }
  const findInside = async (name: string): Promise<string> => {
    const found = await realpath(join(root, checkName(name))).catch(() => {
      throw new ToolFailure('file_not_found', 'There is no such file in the folder for files.');
    });
    if (isInside(root, found)) return found;
    throw outside();
  };
  return {
    root,
    /** Opens a regular file for reading. */
    open: async (name: string) => {
      const path = await findInside(name);
      // The path has no link any more; one that appears now is not followed.
      const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
      const handle = await open(path, flags).catch((error: NodeJS.ErrnoException) => {
        throw new ToolFailure('file_error', `The file cannot be read (${error.code}).`);
      });
      try {
        await checkOpened(handle, path, root);
        const bytes = () => handle.createReadStream({ autoClose: false, start: 0 });
        return { filename: basename(path), content: bytes, close: () => handle.close() };
      } catch (error) {
        await handle.close();
        throw error;
      }
    },
    /** Creates a file; one that exists is not replaced. */
    create: async (name: string) => {
      const wanted = join(root, checkName(name));
      const folder = await findInside(relative(root, dirname(wanted)) || '.');
      const path = join(folder, basename(wanted));
      const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
      const handle = await open(path, flags, 0o600).catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'EEXIST') throw new ToolFailure('file_exists', 'A file with this name exists already.');
        throw new ToolFailure('file_error', `The file cannot be created (${error.code}).`);
      });
      try {
        await checkOpened(handle, path, root);
      } catch (error) {
        await handle.close();
        throw error;
      }
      return {
        write: (bytes: Uint8Array) => handle.appendFile(bytes),
        finish: () => handle.close(),
        discard: async () => {
          await handle.close().catch(() => undefined);
          await rm(path, { force: true });
        },
      };
    },
  };
}

async function checkOpened(handle: FileHandle, path: string, root: string): Promise<void> {
  const [opened, named, resolved] = await Promise.all([handle.stat(), lstat(path), realpath(path)]).catch(() => {
    throw outside();
  });
  const isSame = opened.dev === named.dev && opened.ino === named.ino;
  if (!isSame || resolved !== path || !isInside(root, resolved)) throw outside();
  if (!opened.isFile()) throw new ToolFailure('not_a_file', 'This is not a regular file.');
}

function checkName(name: string): string {
  if (name !== '' && !name.includes('\0') && !isAbsolute(name) && !name.split(/[\\/]/).includes('..')) return name;
  throw outside();
}

function isInside(root: string, path: string): boolean {
  return path === root || path.startsWith(root.endsWith(sep) ? root : `${root}${sep}`);
}

function outside(): ToolFailure {
  return new ToolFailure('outside_files_folder', 'Only files below the folder for files can be used.');
}
