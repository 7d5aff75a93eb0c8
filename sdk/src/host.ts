/** The `process` of Node.js and of runtimes that imitate it; undefined elsewhere, for example in browsers. */
export const hostProcess: Partial<NodeJS.Process> | undefined = globalThis.process;

/** Whether this is Node.js, Bun or Deno, where a request may have any header and a streamed body. */
export const isServerRuntime = hostProcess?.versions?.node !== undefined;

/** Emits a process warning, or logs to the console, for problems that no call can report. */
export function warn(text: string, type: string, detail?: string): void {
  if (hostProcess?.emitWarning === undefined) console.warn(`${type}: ${text}`);
  else if (detail === undefined) hostProcess.emitWarning(text, type);
  else hostProcess.emitWarning(text, { type, detail });
}

/** Resolves in the next turn of the event loop, so that other work on this thread can run. */
export function yieldToEventLoop(): Promise<void> {
  const later: (run: () => void) => unknown = globalThis.setImmediate ?? setTimeout;
  return new Promise((resolve) => void later(resolve));
}

export function concatBytes(pieces: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(pieces.reduce((size, piece) => size + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
}
