/** The first version of Node.js with all features that this package needs, as in `engines` of `package.json`. */
export const minimumNodeVersion = '22.19';

/** Returns an error message if the runtime is too old, otherwise undefined. */
export function findRuntimeFault(versions: Readonly<Record<string, string | undefined>>): string | undefined {
  // Other runtimes report the version of Node.js that they imitate.
  if (versions['bun'] !== undefined || versions['deno'] !== undefined) return undefined;
  // Browsers report no version.
  if (versions['node'] === undefined) return undefined;
  const [major = 0, minor = 0] = versions['node'].split('.').map(Number);
  const [majorMinimum = 0, minorMinimum = 0] = minimumNodeVersion.split('.').map(Number);
  if (major > majorMinimum || (major === majorMinimum && minor >= minorMinimum)) return undefined;
  return `@agent-platform/sdk needs Node.js ${minimumNodeVersion} or later, and this is Node.js ${versions['node']}.`;
}

// Evaluated before all other modules of this package, because index.ts imports it first.
const fault = findRuntimeFault(globalThis.process?.versions ?? {});
if (fault !== undefined) throw new Error(fault);
