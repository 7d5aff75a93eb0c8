import type { ProxyKind } from '../proxies/proxy-files.ts';
import { isProgramInstalled, startProxy } from '../proxies/start-proxy.ts';
import { startStandInBalancer } from './stand-in-balancer.ts';

/** An address and the certificate that clients trust for it. */
export interface TrustedAddress {
  readonly url: string;
  readonly ca: string;
}

export interface Balancer extends TrustedAddress {
  /** The name of the program. */
  readonly name: string;
  stop(): Promise<void>;
}

/** Starts a proxy with its file from `deploy/`. The default is HAProxy if it is installed, otherwise a stand-in. */
export async function startBalancer(kind: ProxyKind | undefined, servers: readonly string[]): Promise<Balancer> {
  if (kind !== undefined) return await startProxy(kind, servers);
  return isProgramInstalled('haproxy') ? await startProxy('haproxy', servers) : await startStandInBalancer(servers);
}
