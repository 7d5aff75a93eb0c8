import { tokenVariableOf, wrongTokenVariable } from '../context/pool/token-register.ts';
import { quoteForShell } from '../verdict/curl.ts';
import type { FailedRequirement, Report } from '../verdict/report.ts';
import type { ShownExchange } from '../verdict/shown-exchange.ts';
import { formatCount } from './readable.ts';

/**
 * The shell command that repeats an exchange, after assignments of its variables; it reads the token from the pool
 * file. Empty if there is no pool file or if it does not contain the agent.
 */
export function shellCommandOf(
  { curl, token }: Pick<ShownExchange, 'curl' | 'token'>,
  { baseUrl, wsUrl, tokensIn }: Pick<Report, 'baseUrl' | 'wsUrl' | 'tokensIn'>,
): string {
  if (curl === '') return '';
  const address = curl.includes('{WS_URL#')
    ? `WS_URL=${quoteForShell(wsUrl ?? '')}`
    : `BASE_URL=${quoteForShell(baseUrl)}`;
  if (token === null) return `${address}; ${curl}`;
  if (token === wrongTokenVariable) return `${address} ${token}=wrong; ${curl}`;
  const agent = tokensIn?.agents.find((one) => tokenVariableOf(one) === token);
  if (tokensIn === undefined || agent === undefined) return '';
  const read = quoteForShell(`require(${JSON.stringify(tokensIn.file)}).${agent.member}.token`);
  return `${address} ${token}="$(node -p ${read})"; ${curl}`;
}

export function formatExchange(exchange: ShownExchange): string {
  const { method, path, body, status, answer } = exchange;
  const { request, answered } = formatHeaders(exchange);
  const asked = [`${method} ${path}`, ...request, ...(body === '' ? [] : ['', body])];
  return [...asked, '', `${status || 'no answer'}`, ...answered, ...(answer === '' ? [] : ['', answer])].join('\n');
}

export function formatHeaders({ token, contentType, answerHeaders }: ShownExchange) {
  return {
    request: [
      ...(token === null ? [] : [`authorization: (the token in $${token})`]),
      ...(contentType === null ? [] : [`content-type: ${contentType}`]),
    ],
    answered: Object.entries(answerHeaders).map(([name, value]) => `${name}: ${value}`),
  };
}

/** Names the failed check, and counts the other failed checks and the requirements that were therefore not judged. */
export function describeChecks({ check, others, blocked }: FailedRequirement): string {
  const more = others.length === 0 ? '' : ` and ${formatCount(others.length, 'more check', 'more checks')}`;
  const rest = blocked === 0 ? '' : `; because of it ${formatCount(blocked, 'requirement')} not judged`;
  return `${check}${more}${rest}`;
}

/** How to repeat a failure: with its script, or otherwise with a shell command; empty if there is neither. */
export function describeReproduction({ script, exchange }: FailedRequirement, report: Report): string {
  return script?.text.trimEnd() ?? (exchange && shellCommandOf(exchange, report)) ?? '';
}

export function formatPlainFailure(failure: FailedRequirement, report: Report): string {
  const { expected, actual, exchange } = failure;
  const parts = [`Check:    ${describeChecks(failure)}`, `Expected: ${expected}`, `Actual:   ${actual}`];
  if (exchange !== undefined) parts.push('', formatExchange(exchange));
  const repeat = describeReproduction(failure, report);
  return [...parts, ...(repeat === '' ? [] : ['', repeat])].join('\n');
}
