import process from 'node:process';

/**
 * What a program that a test starts gets of our own environment: where programs
 * are, and where compiled code is kept. Everything else is the test's to say.
 */
export function inheritedEnvironment(): Record<string, string> {
  const { PATH = '', NODE_COMPILE_CACHE } = process.env;
  return { PATH, ...(NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE }) };
}
