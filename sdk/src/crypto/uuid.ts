import { ConfigurationError } from '../errors.ts';

const uuidForm = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export function isUuid(text: unknown): text is string {
  return typeof text === 'string' && uuidForm.test(text);
}

/** Validates the UUID in the option `name` and returns the UUID in lower case. */
export function parseUuid(name: string, id: string): string {
  if (isUuid(id)) return id.toLowerCase();
  throw new ConfigurationError(`${name} is ${JSON.stringify(id)}; it must be a UUID.`);
}
