import process from 'node:process';

/**
 * The variables that programs started by tests inherit: the locations of programs and of cached compiled code. The test
 * sets all others.
 */
export function inheritedEnvironment(): Record<string, string> {
  const { PATH = '', NODE_COMPILE_CACHE } = process.env;
  return { PATH, ...(NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE }) };
}
