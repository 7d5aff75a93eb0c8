import process from 'node:process';

/** The part of an undici dispatcher that this package uses. */
export interface RequestDispatcher {
  dispatch(options: object, handler: object): unknown;
}

// Bun and Deno imitate Node.js, but have their own `fetch`.
const isNode = process.versions['bun'] === undefined && process.versions['deno'] === undefined;

// Node.js and undici store the dispatcher of `fetch` under this global symbol, whose number depends on the version.
const versionOfSlot = Number.parseInt(process.versions['undici'] ?? '0', 10) < 8 ? 1 : 2;
const slot = Symbol.for(`undici.globalDispatcher.${versionOfSlot}`);

let own: Promise<RequestDispatcher | undefined> | undefined;

/** Resolves to undefined in runtimes other than Node.js, and in bundles that cannot load this part of undici. */
export async function findDispatcher(): Promise<RequestDispatcher | undefined> {
  if (!isNode) return undefined;
  const set = findProgramDispatcher();
  if (set !== undefined) return set;
  own ??= makeAgent().catch(() => undefined);
  return await own;
}

/** Returns the dispatcher that the program has set globally, or that its `fetch` uses. */
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
