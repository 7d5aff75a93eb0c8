import fs, { type FileHandle } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';

const changing = ['mkdir', 'open', 'link', 'rename', 'rm'] as const;

/**
 * Runs some work up to the given file operation, as if the process were killed
 * before it; a killed write leaves half of its text. Returns whether the work
 * has ended before that.
 */
export async function stopAtFileOperation(operation: number, work: () => Promise<unknown>): Promise<boolean> {
  const { promise: stopped, resolve: stop } = Promise.withResolvers<false>();
  let operations = 0;
  const mayRun = async (lastWords?: () => Promise<unknown>): Promise<void> => {
    operations += 1;
    if (operations < operation) return;
    if (operations === operation) {
      await lastWords?.();
      stop(false);
    }
    // A killed process does nothing more.
    await new Promise(() => undefined);
  };
  const originals = { ...fs };
  for (const name of changing) {
    const original = Reflect.get(originals, name);
    Reflect.set(fs, name, async (...args: unknown[]) => {
      await mayRun();
      const result: unknown = await Reflect.apply(original, fs, args);
      if (name === 'open') interceptWrites(result as FileHandle, mayRun);
      return result;
    });
  }
  syncBuiltinESMExports();
  try {
    return await Promise.race([work().then(() => true), stopped]);
  } finally {
    Object.assign(fs, originals);
    syncBuiltinESMExports();
  }
}

function interceptWrites(file: FileHandle, mayRun: (lastWords?: () => Promise<unknown>) => Promise<void>): void {
  const write = file.writeFile.bind(file);
  file.writeFile = async (data, options) => {
    await mayRun(() => write(String(data).slice(0, 60), options));
    await write(data, options);
  };
}
