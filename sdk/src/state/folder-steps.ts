import { constants } from 'node:fs';
import { type FileHandle, link, mkdir, open, readdir, readFile, rename, unlink } from 'node:fs/promises';

/**
 * The few things that a state in a folder does to the disk. Each is atomic: it
 * has happened or it has not, whenever the process ends. Several processes may
 * do them at the same time; of those that race for one name exactly one wins.
 */
export interface FolderSteps {
  makeFolder(path: string): Promise<void>;
  names(folder: string): Promise<readonly string[]>;
  /** Undefined when there is no such file. */
  read(path: string): Promise<string | undefined>;
  /** Writes a file that was not there, down to the disk; 0600. */
  write(path: string, text: string): Promise<void>;
  /** Gives a file a second name; false when that name is taken, or the file gone. */
  link(from: string, to: string): Promise<boolean>;
  /** Moves a file; false when it is not there any more. */
  move(from: string, to: string): Promise<boolean>;
  /** Removes a name; without effect when it is not there. */
  remove(path: string): Promise<void>;
  /** Takes the names in a folder down to the disk: a power cut could undo them. */
  sync(folder: string): Promise<void>;
}

/** The real disk. */
export const diskSteps: FolderSteps = {
  makeFolder: async (path) => {
    await mkdir(path, { recursive: true, mode: 0o700 });
  },
  names: (folder) => readdir(folder),
  read: async (path) => {
    try {
      return await readFile(path, 'utf8');
    } catch (error) {
      if (isErrno(error, 'ENOENT')) return undefined;
      throw error;
    }
  },
  write: async (path, text) => {
    await withHandle(
      await open(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600),
      async (file) => {
        // A strange umask must not leave a file that its owner cannot read back.
        await file.chmod(0o600);
        await file.writeFile(text, 'utf8');
        await file.sync();
      },
    );
  },
  link: (from, to) => unless(['EEXIST', 'ENOENT'], link(from, to)),
  move: (from, to) => unless(['ENOENT'], rename(from, to)),
  remove: async (path) => {
    await unless(['ENOENT'], unlink(path));
  },
  sync: async (folder) => {
    // Windows opens no folder for this.
    if (process.platform === 'win32') return;
    await withHandle(await open(folder, constants.O_RDONLY), (handle) => handle.sync());
  },
};

async function unless(codes: readonly string[], work: Promise<void>): Promise<boolean> {
  try {
    await work;
    return true;
  } catch (error) {
    if (codes.some((code) => isErrno(error, code))) return false;
    throw error;
  }
}

async function withHandle(handle: FileHandle, work: (handle: FileHandle) => Promise<void>): Promise<void> {
  try {
    await work(handle);
  } finally {
    await handle.close();
  }
}

function isErrno(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
