/** The `process` of Node.js and of the runtimes that imitate it; undefined elsewhere, as in browsers. */
export const host: Partial<NodeJS.Process> | undefined = globalThis.process;

/** Whether this is Node.js, Bun or Deno: a request may then have any header, and a body that is sent while it is read. */
export const isServer = host?.versions?.node !== undefined;

/** Warns of something that no call can report: as a warning of the process, or else on the console. */
export function warn(text: string, type: string, detail?: string): void {
  if (host?.emitWarning === undefined) console.warn(`${type}: ${text}`);
  else if (detail === undefined) host.emitWarning(text, type);
  else host.emitWarning(text, { type, detail });
}

/** Lets other work of this thread run. */
export function nextTurn(): Promise<void> {
  const later: (run: () => void) => unknown = globalThis.setImmediate ?? setTimeout;
  return new Promise((resolve) => void later(resolve));
}

/** Joins pieces of bytes. */
export function concatBytes(pieces: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(pieces.reduce((size, piece) => size + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
}
