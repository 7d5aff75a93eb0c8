import process from 'node:process';

/**
 * The environment variables that programs started by tests inherit: the PATH and the folder of cached compiled code.
 * Tests set all others.
 */
export function inheritedEnvironment(): Record<string, string> {
  const { PATH = '', NODE_COMPILE_CACHE } = process.env;
  return { PATH, ...(NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE }) };
}
