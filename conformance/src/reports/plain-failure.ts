import type { FailedRequirement } from '../verdict/failures.ts';
import type { Report } from '../verdict/report.ts';
import type { ShownExchange } from '../verdict/shown-exchange.ts';
import { pastedCommand } from './pasted-command.ts';
import { countOf } from './readable.ts';

/** An exchange as plain text: the request, an empty line, the answer. */
export function exchangeText(exchange: ShownExchange): string {
  const { method, path, token, contentType, body, status, answerHeaders, answer } = exchange;
  return [
    `${method} ${path}`,
    ...(token === null ? [] : [`authorization: (the token in $${token})`]),
    ...(contentType === null ? [] : [`content-type: ${contentType}`]),
    ...(body === '' ? [] : ['', body]),
    '',
    `${status || 'no answer'}`,
    ...Object.entries(answerHeaders).map(([name, value]) => `${name}: ${value}`),
    ...(answer === '' ? [] : ['', answer]),
  ].join('\n');
}

/** The check of a failed requirement with how many more meet the failure, and what is not judged because of it. */
export function checksOf({ check, others, blocked }: FailedRequirement): string {
  const more = others.length === 0 ? '' : ` and ${countOf(others.length, 'more check', 'more checks')}`;
  const rest = blocked === 0 ? '' : `; because of it ${countOf(blocked, 'requirement')} not judged`;
  return `${check}${more}${rest}`;
}

/** A failed requirement as plain text: expected, actual, the exchange and the script. */
export function printPlainFailure(failure: FailedRequirement, report: Report): string {
  const { expected, actual, exchange, script } = failure;
  const parts = [`Check:    ${checksOf(failure)}`, `Expected: ${expected}`, `Actual:   ${actual}`];
  if (exchange !== undefined) parts.push('', exchangeText(exchange));
  const repeat = script?.text.trimEnd() ?? (exchange && pastedCommand(exchange, report)) ?? '';
  return [...parts, ...(repeat === '' ? [] : ['', repeat])].join('\n');
}
