import { limits } from '@agent-platform/contract/client';
import { ConfigurationError } from './errors.ts';

const fractionDigits = 2;

/**
 * Formats an amount of minor units as test credits, with two decimals and without floating-point arithmetic.
 * `parseCredits` does the reverse.
 *
 * @param minor a safe integer; 100 minor units are 1 test credit
 * @throws ConfigurationError `minor` is not a safe integer
 * @example
 * formatCredits(1_250); // '12.50'
 */
export function formatCredits(minor: number): string {
  if (!Number.isSafeInteger(minor)) {
    throw new ConfigurationError(`${minor} is not an amount: amounts are safe integers in minor units.`);
  }
  const absolute = Math.abs(minor);
  const rest = absolute % limits.minorPerCredit;
  const whole = (absolute - rest) / limits.minorPerCredit;
  return `${minor < 0 ? '-' : ''}${whole}.${String(rest).padStart(fractionDigits, '0')}`;
}

/**
 * Parses test credits as people write them (`12`, `12.5` or `12.50`) into minor units. Nothing is rounded: a third
 * decimal is refused, and so are signs, exponents, separators and spaces.
 *
 * @throws ConfigurationError the text is not an amount, or the amount is too large
 * @example
 * parseCredits('12.5'); // 1250
 */
export function parseCredits(text: string): number {
  const [, whole = '', fraction = ''] = /^(\d{1,16})(?:\.(\d{1,2}))?$/.exec(text) ?? [];
  const minor = Number(whole + fraction.padEnd(fractionDigits, '0'));
  if (whole !== '' && Number.isSafeInteger(minor)) return minor;
  throw new ConfigurationError(
    `${JSON.stringify(text)} is not an amount of test credits; use digits with up to ${fractionDigits} decimals, such as 12.50.`,
  );
}
