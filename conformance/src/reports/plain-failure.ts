import type { Failure } from '../verdict/failures.ts';
import type { Report } from '../verdict/report.ts';
import type { ShownExchange } from '../verdict/shown-exchange.ts';
import { pastedCommand } from './pasted-command.ts';

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

/** A failure as plain text: expected, actual, the exchange and the script. */
export function printPlainFailure({ check, expected, actual, exchange, script }: Failure, report: Report): string {
  const parts = [`Check:    ${check}`, `Expected: ${expected}`, `Actual:   ${actual}`];
  if (exchange !== undefined) parts.push('', exchangeText(exchange));
  const repeat = script?.text.trimEnd() ?? (exchange && pastedCommand(exchange, report)) ?? '';
  return [...parts, ...(repeat === '' ? [] : ['', repeat])].join('\n');
}
