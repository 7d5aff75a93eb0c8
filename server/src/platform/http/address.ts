import { isIPv4, isIPv6 } from 'node:net';
import type { FastifyRequest } from 'fastify';

/** Returns `gone` once the client has disconnected, because Fastify then returns no address, despite its type. */
export function clientAddressOf({ ip }: Pick<FastifyRequest, 'ip'>): string {
  const address = ip as string | undefined;
  return address === undefined ? 'gone' : (plainAddress(address) ?? address);
}

/**
 * Removes brackets, zone and port from an address, because some proxies add them and a client can change them. Converts
 * an IPv4-mapped IPv6 address to IPv4. Returns undefined if the text is not an address.
 */
function plainAddress(text: string): string | undefined {
  if (isIPv4(text)) return text;
  const [, v4, v6] = /^(?:(\d[\d.]*):\d{1,5}|\[([^\]]*)\](?::\d{1,5})?)$/.exec(text) ?? [];
  const bare = (v4 ?? v6 ?? text).replace(/%.*$/s, '');
  if (isIPv4(bare)) return bare;
  if (!isIPv6(bare)) return undefined;
  const groups = groupsOf(bare);
  const [high = 0, low = 0] = groups.slice(6);
  if (groups.slice(0, 6).join(':') === '0:0:0:0:0:65535') return [high >> 8, high & 255, low >> 8, low & 255].join('.');
  return groups.map((group) => group.toString(16)).join(':');
}

/**
 * Returns the trusted entries of `X-Forwarded-For`: those after the last entry that is not an address, because a client
 * may have written that entry and everything before it.
 */
export function parseForwardedFor(header: string): { readonly entries: readonly string[]; readonly isFaulty: boolean } {
  const addresses = header.split(',').map((entry) => plainAddress(entry.trim()));
  const faultyAt = addresses.lastIndexOf(undefined);
  const entries = addresses.slice(faultyAt + 1).filter((address) => address !== undefined);
  return { entries, isFaulty: faultyAt >= 0 };
}

/**
 * Makes the rate limit key of a client's address. IPv6 addresses are counted per /64, because one client commonly owns
 * a whole /64. All texts that are not addresses share one key.
 */
export function makeAddressKey(address: string): string {
  const plain = plainAddress(address) ?? 'no address';
  return plain.includes(':') ? `${plain.split(':').slice(0, 4).join(':')}::/64` : plain;
}

/** Whether this is the key of one of this machine's own addresses. */
export function isLocalAddressKey(key: string): boolean {
  return key.startsWith('127.') || key === '0:0:0:0::/64';
}

/** The limits of an address's networks, as multiples of the limit per address, narrowest network first (§9.11). */
export const networkLimitFactors = [1, 4, 16] as const;

/**
 * Returns the network keys of an address key, narrowest first: for IPv6 the /64, /56 and /48, because a home commonly
 * has a /56 and a site a /48. Any other address is a network by itself.
 */
export function networkKeysOf(key: string): readonly string[] {
  if (!key.endsWith('::/64')) return [key];
  const [first, second, third, fourth = ''] = key.split(':');
  const site = `${first}:${second}:${third}`;
  return [key, `${site}:${(Number.parseInt(fourth, 16) & 0xff00).toString(16)}::/56`, `${site}::/48`];
}

/** Returns the eight 16-bit groups of an IPv6 address. */
function groupsOf(address: string): readonly number[] {
  const ofDotted = (text: string) => {
    const [first = 0, second = 0, third = 0, fourth = 0] = text.split('.').map(Number);
    return [(first << 8) | second, (third << 8) | fourth];
  };
  const read = (part: string) =>
    part === ''
      ? []
      : part.split(':').flatMap((group) => (group.includes('.') ? ofDotted(group) : [Number.parseInt(group, 16)]));
  const [head = '', tail] = address.split('::');
  const [before, after] = [read(head), read(tail ?? '')];
  return [...before, ...Array.from({ length: 8 - before.length - after.length }, () => 0), ...after];
}
