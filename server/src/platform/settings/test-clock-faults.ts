import { isLoopback } from './setting.ts';

/** The settings that determine who can reach a server; an invalid one is absent. */
interface Exposure {
  readonly clock?: 'system' | 'test';
  readonly host?: string;
  readonly publicUrl?: string | undefined;
  readonly trustProxy?: readonly string[];
}

/**
 * Finds settings that are not allowed with a test clock: moving the time expires the tokens and files of all agents, so
 * strangers must not reach such a server.
 */
export function findTestClockFaults({
  clock,
  host = '127.0.0.1',
  publicUrl,
  trustProxy = [],
}: Exposure): readonly string[] {
  if (clock !== 'test') return [];
  const isOpen = !isLoopback(publicUrl === undefined ? host : new URL(publicUrl).hostname);
  return [
    ...(isOpen && publicUrl === undefined
      ? [`HOST=${JSON.stringify(host)} must be a loopback address with PLATFORM_CLOCK=test, such as 127.0.0.1`]
      : []),
    ...(isOpen && publicUrl !== undefined
      ? [`PLATFORM_PUBLIC_URL=${JSON.stringify(publicUrl)} must be on loopback with PLATFORM_CLOCK=test`]
      : []),
    ...(trustProxy.length > 0
      ? [`PLATFORM_TRUST_PROXY=${JSON.stringify(trustProxy.join(','))} must be unset with PLATFORM_CLOCK=test`]
      : []),
  ];
}
