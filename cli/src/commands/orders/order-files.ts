import type { AgentPlatform } from '@agent-platform/sdk';
import { CuredError, UsageError } from '../../errors/failure.ts';
import type { Io } from '../../io/io.ts';
import type { Typed } from '../../options/parsed-arguments.ts';
import { uploadFile } from '../../session/upload-file.ts';

const filesMax = 10;

/** The files that go with an order: to be uploaded, and already there. */
export interface OrderFiles {
  readonly paths: readonly string[];
  readonly ids: readonly string[];
}

/** No files. */
export const noFiles: OrderFiles = { paths: [], ids: [] };

/** Reads the options of `declareFileOptions`. */
export function readOrderFiles(typed: Typed): OrderFiles {
  const files = { paths: typed.list('attach'), ids: typed.list('attachment') };
  // Told before anything is uploaded: files that go up for nothing use up room.
  if (files.paths.length + files.ids.length > filesMax) {
    throw new UsageError(`An order takes at most ${filesMax} files at a time.`);
  }
  return files;
}

/** Uploads what has to be uploaded; the ids of all, in the order of the sets. */
export async function uploadOrderFiles(platform: AgentPlatform, { paths, ids }: OrderFiles, io: Io): Promise<string[]> {
  const uploaded: string[] = [];
  try {
    for (const path of paths) uploaded.push((await uploadFile(platform, { path, purpose: 'order' }, io)).id);
  } catch (error) {
    throw withUploaded(error, uploaded);
  }
  return [...ids, ...uploaded];
}

/** Adds to a failure which files are uploaded by now, so that they need not go up again. */
export function withUploaded(error: unknown, uploaded: readonly string[]): unknown {
  if (uploaded.length === 0 || !(error instanceof Error) || error instanceof CuredError) return error;
  const again = uploaded.map((id) => `--attachment ${id}`).join(' ');
  return new CuredError(error, `The files are uploaded; instead of --attach say: ${again}`);
}
