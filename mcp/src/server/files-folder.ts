import { constants } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, readlink, realpath, rm } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { limits, toTypedFileName } from '@agent-platform/contract';
import { type FilesFolder, ToolFailure } from '@agent-platform/sdk/tools';

/** The subfolder for other agents' files, so that programs started in the outer folder do not read them as settings. */
const receivedName = 'received';

/**
 * Opens the folder for files. Each path is checked after its links are resolved, and the opened file is checked again
 * by the path that the kernel reports. So no link leads out of the folder, even one that is created concurrently.
 *
 * @param secretFolder contains keys and tokens; neither folder may contain the other
 * @throws ToolFailure `unsafe_files_folder`
 */
export async function openFilesFolder(
  path: string,
  secretFolder?: string,
): Promise<FilesFolder & { readonly root: string }> {
  const root = await realpath(resolve(path));
  const secrets = secretFolder === undefined ? undefined : await realpath(secretFolder);
  if (secrets !== undefined && (isInside(root, secrets) || isInside(secrets, root))) {
    const message = `The folder for files contains keys and tokens, or is inside the folder that does (${secrets}).`;
    throw new ToolFailure('unsafe_files_folder', message, 'Set --files-folder to a separate folder.');
  }
  const received = join(root, receivedName);
  return {
    root,
    open: async (name: string) => {
      const path = await findInside(root, checkName(name));
      // The resolved path contains no links; a link created later is not followed.
      const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
      const handle = await open(path, flags).catch((error: NodeJS.ErrnoException) => {
        throw new ToolFailure('file_error', `The file cannot be read (${error.code}).`);
      });
      try {
        await checkPlace(handle, path, root);
        await checkUploadable(handle);
        const bytes = () => handle.createReadStream({ autoClose: false, start: 0 });
        return { path, filename: basename(path), content: bytes, close: () => handle.close() };
      } catch (error) {
        await handle.close();
        throw error;
      }
    },
    /**
     * Creates a file below the folder `received`, with the extension of its type; never replaces an existing file.
     *
     * @param name relative to that folder
     * @throws ToolFailure `hidden_file`: a part of the name begins with a dot
     */
    create: async (name: string, contentType: string) => {
      // Results name files with this folder, so the name may start with it.
      const wanted = join(received, checkVisible(checkName(name)).replace(/^received\//, ''));
      const filename = toTypedFileName(basename(wanted), contentType);
      await mkdir(received, { recursive: true, mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
        throw new ToolFailure('file_error', `The folder "${receivedName}" cannot be created (${error.code}).`);
      });
      const inside = await findInside(received, relative(received, dirname(wanted)) || '.');
      const folder = await openFolder(inside, received);
      const path = folder.entry(filename);
      const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
      const handle = await open(path, flags, 0o600).catch(async (error: NodeJS.ErrnoException) => {
        await folder.close();
        if (error.code === 'EEXIST')
          throw new ToolFailure('file_exists', 'A file with this name already exists.', 'Pass another path.');
        throw new ToolFailure('file_error', `The file cannot be created (${error.code}).`);
      });
      const close = () => handle.close().finally(folder.close);
      try {
        await folder.checkCreated(handle, path);
      } catch (error) {
        await close();
        throw error;
      }
      return {
        /** The path relative to the outer folder. */
        path: relative(root, join(inside, filename)),
        write: (bytes: Uint8Array) => handle.appendFile(bytes),
        finish: close,
        discard: async () => {
          await handle.close().catch(() => undefined);
          await rm(path, { force: true });
          await folder.close();
        },
      };
    },
  };
}

async function findInside(root: string, name: string): Promise<string> {
  const found = await realpath(join(root, name)).catch(() => {
    throw new ToolFailure('file_not_found', `There is no such file or folder: ${JSON.stringify(name)}.`);
  });
  if (isInside(root, found)) return found;
  throw outside();
}

// On Linux, /proc/self/fd/N is the open folder itself, so a file is created in it even if its path changes concurrently.
// On other systems the path is checked after the creation, so a swap at the right moment is possible (threat model).
async function openFolder(path: string, root: string) {
  const flags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
  const handle = await open(path, flags).catch((error: NodeJS.ErrnoException) => {
    throw new ToolFailure('file_error', `The folder cannot be opened (${error.code}).`);
  });
  const close = () => handle.close();
  try {
    const isNumbered = (await checkPlace(handle, path, root)) === 'by the kernel';
    const checkCreated = (file: FileHandle, created: string) =>
      isNumbered ? Promise.resolve() : checkPlace(file, created, root);
    return { entry: (name: string) => join(isNumbered ? numbered(handle) : path, name), checkCreated, close };
  } catch (error) {
    await close();
    throw error;
  }
}

function numbered(handle: FileHandle): string {
  return `/proc/self/fd/${handle.fd}`;
}

async function checkPlace(handle: FileHandle, path: string, root: string) {
  const place = await readlink(numbered(handle)).catch(() => undefined);
  if (place !== undefined) {
    if (!isInside(root, place)) throw outside();
    return 'by the kernel';
  }
  const [opened, named, resolved] = await Promise.all([handle.stat(), lstat(path), realpath(path)]).catch(() => {
    throw outside();
  });
  const isSame = opened.dev === named.dev && opened.ino === named.ino;
  if (!isSame || resolved !== path || !isInside(root, resolved)) throw outside();
  return 'by its path';
}

async function checkUploadable(handle: FileHandle): Promise<void> {
  const status = await handle.stat();
  if (!status.isFile()) throw new ToolFailure('not_a_file', 'This is not a regular file.');
  if (status.size <= limits.fileMaxBytes) return;
  const message = `The file has ${status.size} bytes; at most ${limits.fileMaxBytes} are accepted.`;
  throw new ToolFailure('file_too_large', message, 'Use a smaller file.');
}

function checkName(name: string): string {
  if (name !== '' && !name.includes('\0') && !isAbsolute(name) && !name.split(/[\\/]/).includes('..')) return name;
  throw outside();
}

// Also refuses invisible characters, because some file systems ignore them in names, for example before a dot.
function checkVisible(name: string): string {
  if (!/(?:^|[\\/])\.[^\\/]|[\p{Cc}\p{Cf}]/u.test(name)) return name;
  const message = 'No part of the path may begin with a dot or contain invisible characters.';
  throw new ToolFailure('hidden_file', message, 'Choose another path, such as "invoice.pdf".');
}

function isInside(root: string, path: string): boolean {
  return path === root || path.startsWith(root.endsWith(sep) ? root : `${root}${sep}`);
}

function outside(): ToolFailure {
  return new ToolFailure('outside_files_folder', 'Only files below the folder for files can be used.');
}
