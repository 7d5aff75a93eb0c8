import { ConfigurationError } from './errors.ts';

export function requireInteger(name: string, value: number, min: number, max: number): number {
  if (Number.isInteger(value) && value >= min && value <= max) return value;
  throw new ConfigurationError(`${name} is ${value}; it must be an integer from ${min} to ${max}.`);
}
