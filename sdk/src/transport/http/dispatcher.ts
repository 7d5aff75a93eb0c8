import process from 'node:process';

/** The method of an undici dispatcher that this package calls. */
export interface RequestDispatcher {
  dispatch(options: object, handler: object): unknown;
}

// Bun and Deno imitate Node.js, but have their own `fetch`.
const isNode = process.versions['bun'] === undefined && process.versions['deno'] === undefined;

// The global symbol under which Node.js and all versions of undici store the dispatcher of `fetch`.
const versionOfSlot = Number.parseInt(process.versions['undici'] ?? '0', 10) < 8 ? 1 : 2;
const slot = Symbol.for(`undici.globalDispatcher.${versionOfSlot}`);

let own: Promise<RequestDispatcher | undefined> | undefined;

/**
 * Returns the dispatcher that the program has set or its `fetch` uses, or else a new undici agent. Undefined in
 * runtimes other than Node.js, and in bundles that cannot load this part of undici.
 */
export async function findDispatcher(): Promise<RequestDispatcher | undefined> {
  if (!isNode) return undefined;
  const set = findProgramDispatcher();
  if (set !== undefined) return set;
  own ??= makeAgent().catch(() => undefined);
  return await own;
}

/** Returns the dispatcher that the program has set or its `fetch` uses. */
export function findProgramDispatcher(): RequestDispatcher | undefined {
  const set: unknown = isNode ? Reflect.get(globalThis, slot) : undefined;
  return isDispatcher(set) ? set : undefined;
}

// Imports only `Agent`, because importing all of undici would replace the global dispatcher of an earlier version.
async function makeAgent(): Promise<RequestDispatcher> {
  // @ts-expect-error: This part of undici has no types.
  const { default: Agent } = await import('undici/lib/dispatcher/agent.js');
  return new Agent();
}

function isDispatcher(found: unknown): found is RequestDispatcher {
  return typeof found === 'object' && found !== null && 'dispatch' in found && typeof found.dispatch === 'function';
}
