import process from 'node:process';
import type * as Undici from 'undici';

// Other runtimes imitate Node.js, and have a `fetch` of their own that is theirs to make fast.
const isNode = process.versions['bun'] === undefined && process.versions['deno'] === undefined;

let loaded: typeof Undici | undefined;

/** Loads undici with the first request; undefined on another runtime than Node.js. */
export async function loadUndici(): Promise<typeof Undici | undefined> {
  if (isNode) loaded ??= await import('undici');
  return loaded;
}
