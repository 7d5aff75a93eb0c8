import type { ProxyKind } from '../proxies/proxy-files.ts';
import { isInstalled, startProxy } from '../proxies/start-proxy.ts';
import { startStandIn } from './stand-in-balancer.ts';

/** An address that clients use, and the certificate that they trust there. */
export interface Address {
  readonly url: string;
  readonly ca: string;
}

/** A load balancer in front of several servers. */
export interface Balancer extends Address {
  /** The program that balances. */
  readonly name: string;
  stop(): Promise<void>;
}

/** Starts a proxy with its file in `deploy/`; without a choice HAProxy where it is installed, else a stand-in. */
export async function startBalancer(kind: ProxyKind | undefined, servers: readonly string[]): Promise<Balancer> {
  if (kind !== undefined) return await startProxy(kind, servers);
  return isInstalled('haproxy') ? await startProxy('haproxy', servers) : await startStandIn(servers);
}
