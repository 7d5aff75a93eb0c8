import { describe, expect, it } from 'vitest';
import type { Exchange } from '../http/http-client.ts';
import {
  describeUsedUpAgents,
  noUsage,
  openUsageObserver,
  type PoolUsage,
  relationOf,
  usageOfAgent,
} from './agent-usage.ts';

const [alice, bob, carol] = [1, 2, 3].map((digit) => `01a1fdfe-a3da-71f8-80aa-a1c60dcc317${digit}`) as [
  string,
  string,
  string,
];
const contact = '01a1fdfe-a3da-71f8-80aa-a1c60dcc3199';

function answered(method: string, path: string, status: number, json: unknown, body: unknown = ''): Exchange {
  const asked = { method, path, headers: {}, body: JSON.stringify(body) };
  return { request: asked, status, headers: {}, text: JSON.stringify(json), bytes: Buffer.alloc(0), json };
}

function observed(...seen: readonly (readonly [owner: string, exchange: Exchange])[]): PoolUsage {
  let usage = noUsage;
  const { observe } = openUsageObserver(
    () => usage,
    (next) => {
      usage = next;
    },
  );
  for (const [owner, exchange] of seen) observe(exchange, owner);
  return usage;
}

const requests = '/api/v1/contacts/requests';
const request = answered('POST', requests, 201, { contact: { contact_id: contact } }, { recipient_id: bob });
const accept = answered('POST', `/api/v1/contacts/${contact}/accept`, 200, {});
const block = answered('POST', `/api/v1/contacts/${contact}/block`, 200, {});

describe('the usage of a pool', () => {
  it('tracks the relation of two agents from strangers to a block', () => {
    expect(relationOf(observed(), alice, bob)).toBe('strangers');
    expect(relationOf(observed([alice, request]), bob, alice)).toBe('requested');
    expect(relationOf(observed([alice, request], [bob, accept]), alice, bob.toUpperCase())).toBe('friends');
    const ended = observed([alice, request], [bob, accept], [alice, block]);
    expect(relationOf(ended, alice, bob)).toBe('blocked');
    expect(relationOf(ended, alice, carol)).toBe('strangers');
  });

  it('ignores refusals and repeats', () => {
    const refused = { ...request, status: 403 };
    const repeated = { ...request, status: 200 };
    expect(observed([alice, refused])).toEqual(noUsage);
    expect(relationOf(observed([alice, request], [bob, accept], [alice, repeated]), alice, bob)).toBe('friends');
    expect(relationOf(observed([alice, request], [bob, { ...accept, status: 403 }]), alice, bob)).toBe('requested');
  });

  it('counts uploads that leave a record, stores balances, and ignores unknown agents', () => {
    const upload = answered('POST', '/api/v1/attachments', 201, {});
    const refused = answered('POST', '/api/v1/attachments', 400, { error: { code: 'invalid_file' } });
    const malformed = answered('POST', '/api/v1/attachments', 400, { error: { code: 'invalid_input' } });
    const wallet = answered('GET', '/api/v1/wallet', 200, { wallet: { available_minor: 7, reserved_minor: 3 } });
    const usage = observed(
      [alice, upload],
      [alice, refused],
      [alice, malformed],
      [alice, wallet],
      ['anonymous', upload],
    );

    expect(usage.agents).toEqual({ [alice]: { uploads: 2, availableMinor: 7, reservedMinor: 3, filesRefused: null } });
    expect(usageOfAgent(usage, bob).uploads).toBe(0);
  });

  it('reports when an agent is used up', () => {
    const full = answered('POST', '/api/v1/attachments', 429, { error: { code: 'storage_record_limit' } });
    const of = (uploads: number): PoolUsage => ({
      ...noUsage,
      agents: { [alice]: { ...usageOfAgent(noUsage, alice), uploads } },
    });

    expect(describeUsedUpAgents(of(960), [{ id: alice, handle: 'c_alice' }], 40)).toEqual([]);
    expect(describeUsedUpAgents(of(961), [{ id: alice, handle: 'c_alice' }], 40)[0]).toContain(
      '961 of its 1000 uploads are used',
    );
    expect(describeUsedUpAgents(observed([alice, full]), [{ id: alice, handle: 'c_alice' }], 1)[0]).toContain(
      'storage_record_limit',
    );
  });
});
