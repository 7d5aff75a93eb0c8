// The machine is out of something, for now: space, files, or the disk itself.
const codes = new Set(['ENOSPC', 'EDQUOT', 'EIO', 'EROFS', 'EMFILE', 'ENFILE', 'EACCES', 'EPERM']);

/** Tells a failure of the place where files are kept from a defect of ours. */
export function isStorageUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code: unknown = Reflect.get(error, 'code');
  const isOfFile = typeof Reflect.get(error, 'syscall') === 'string' && Reflect.get(error, 'address') === undefined;
  return isOfFile && typeof code === 'string' && codes.has(code);
}
