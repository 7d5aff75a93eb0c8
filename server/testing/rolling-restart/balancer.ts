import type { ProxyKind } from '../proxies/proxy-files.ts';
import { isProgramInstalled, startProxy } from '../proxies/start-proxy.ts';
import { startStandInBalancer } from './stand-in-balancer.ts';

/** An address for clients, and the certificate that they trust for it. */
export interface TrustedAddress {
  readonly url: string;
  readonly ca: string;
}

/** A load balancer in front of several servers. */
export interface Balancer extends TrustedAddress {
  /** The name of the load balancing program. */
  readonly name: string;
  stop(): Promise<void>;
}

/** Starts a proxy with its file from `deploy/`: by default HAProxy if it is installed, otherwise a stand-in. */
export async function startBalancer(kind: ProxyKind | undefined, servers: readonly string[]): Promise<Balancer> {
  if (kind !== undefined) return await startProxy(kind, servers);
  return isProgramInstalled('haproxy') ? await startProxy('haproxy', servers) : await startStandInBalancer(servers);
}
