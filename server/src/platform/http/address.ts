import { isIPv6 } from 'node:net';

/**
 * The key that a client's address is limited by. IPv6 counts by its /64, because
 * one client commonly owns all of it; an IPv4 address in IPv6 clothes is itself.
 */
export function addressKey(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address);
  if (mapped?.[1] !== undefined) return mapped[1];
  const bare = address.split('%')[0] ?? address;
  return isIPv6(bare) ? `${expand(bare).slice(0, 4).join(':')}::/64` : bare;
}

function expand(address: string): string[] {
  const [head = '', tail] = address.split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const gap = tail === undefined ? 0 : Math.max(0, 8 - before.length - after.length);
  const groups = [...before, ...Array.from({ length: gap }, () => '0'), ...after];
  return groups.map((group) => Number.parseInt(group, 16).toString(16));
}
