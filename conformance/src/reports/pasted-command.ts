import { tokenVariableOf, wrongToken } from '../context/pool/token-register.ts';
import { quote } from '../verdict/curl.ts';
import type { Report } from '../verdict/report.ts';
import type { ShownExchange } from '../verdict/shown-exchange.ts';

/**
 * The command of an exchange for a shell, with the variables that it reads: a token from the pool file of the run. Empty
 * where there is no such file, or the agent was for this run alone.
 */
export function pastedCommand(
  { curl, token }: Pick<ShownExchange, 'curl' | 'token'>,
  { baseUrl, wsUrl, tokensIn }: Pick<Report, 'baseUrl' | 'wsUrl' | 'tokensIn'>,
): string {
  if (curl === '') return '';
  const address = curl.includes('{WS_URL#') ? `WS_URL=${quote(wsUrl ?? '')}` : `BASE_URL=${quote(baseUrl)}`;
  if (token === null) return `${address}; ${curl}`;
  if (token === wrongToken) return `${address} ${token}=wrong; ${curl}`;
  const agent = tokensIn?.agents.find((one) => tokenVariableOf(one) === token);
  if (tokensIn === undefined || agent === undefined) return '';
  const read = quote(`require(${JSON.stringify(tokensIn.file)}).${agent.member}.token`);
  return `${address} ${token}="$(node -p ${read})"; ${curl}`;
}
