import { hostProcess } from './host.ts';
import type { AttemptContext, Hooks } from './transport/hooks.ts';

/**
 * Adds hooks that print a line for each attempt, retry and stream change if `AGENT_PLATFORM_DEBUG` is 1. Hooks
 * receive neither tokens nor bodies, so the output contains none.
 *
 * @param write writes to standard error by default
 */
export function withDebugOutput(
  hooks: Hooks,
  setting: string | undefined = hostProcess?.env?.['AGENT_PLATFORM_DEBUG'],
  write: (line: string) => void = (line) => void hostProcess?.stderr?.write(`${line}\n`),
): Hooks {
  if (setting !== '1') return hooks;
  const log = (text: string) => write(`[agent-platform] ${text}`);
  const name = ({ operationId, method, url, attempt }: AttemptContext) =>
    `${operationId}: ${method} ${url}${attempt === 1 ? '' : `, attempt ${attempt}`}`;
  return {
    ...hooks,
    onResponse: (info) => {
      log(
        `${name(info)}: ${info.status} in ${Math.round(info.durationMs)} ms, request ${info.requestId ?? 'without id'}`,
      );
      return hooks.onResponse?.(info);
    },
    onRetry: (info) => {
      log(`${name(info)} failed with ${info.error.code}, next attempt in ${Math.round(info.waitMs)} ms`);
      return hooks.onRetry?.(info);
    },
    onStream: (change) => {
      log(change.state === 'open' ? 'event stream open' : `event stream closed: ${change.why}`);
      return hooks.onStream?.(change);
    },
  };
}
