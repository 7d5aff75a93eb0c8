import { isIPv4, isIPv6 } from 'node:net';
import type { FastifyRequest } from 'fastify';

/** The address of the client, also of one that has disconnected: the library then has none, in spite of its type. */
export function addressOf(request: Pick<FastifyRequest, 'ip'>): string {
  return (request.ip as string | undefined) ?? 'gone';
}

/**
 * The key that a client's address is limited by. IPv6 counts by its /64, because
 * one client commonly owns all of it; an IPv4 address in IPv6 clothes is itself. Some
 * proxies add the port of the connection, which a client changes at will. Texts that are no
 * address have one key together.
 */
export function addressKey(address: string): string {
  if (isIPv4(address)) return address;
  const [, v4, v6] = /^(?:(\d[\d.]*):\d{1,5}|\[([^\]]*)\](?::\d{1,5})?)$/.exec(address) ?? [];
  const bare = (v4 ?? v6 ?? address).replace(/%.*$|^::ffff:(?=\d+\.)/gis, '');
  if (isIPv4(bare)) return bare;
  return isIPv6(bare) ? `${expand(bare).slice(0, 4).join(':')}::/64` : 'no address';
}

/** How many times the limit of an address its networks have, the narrowest first (D-40). */
export const networkShares = [1, 4, 16] as const;

/**
 * The keys of the networks that the key of an address belongs to, the narrowest first: of IPv6 the /64, the /56 and the
 * /48, because a home commonly has a /56 and a site a /48; others are their own network.
 */
export function networksOf(key: string): readonly string[] {
  if (!key.endsWith('::/64')) return [key];
  const [first, second, third, fourth = ''] = key.split(':');
  const site = `${first}:${second}:${third}`;
  return [key, `${site}:${(Number.parseInt(fourth, 16) & 0xff00).toString(16)}::/56`, `${site}::/48`];
}

function expand(address: string): string[] {
  const [head = '', tail] = address.split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const gap = tail === undefined ? 0 : Math.max(0, 8 - before.length - after.length);
  const groups = [...before, ...Array.from({ length: gap }, () => '0'), ...after];
  return groups.map((group) => Number.parseInt(group, 16).toString(16));
}
