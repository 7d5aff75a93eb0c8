import { describe, expect, it } from 'vitest';
import { findDuplicateExports } from './check-export-names.ts';

const find = (sources: Record<string, string>) => findDuplicateExports(new Map(Object.entries(sources)));

describe('the check of exported names', () => {
  it('refuses a name that two files of a package export', () => {
    const sources = {
      'server/src/contacts/contact.ts': 'export type Relation = 1;',
      'server/src/orders/order.ts': 'export interface Relation {}',
    };

    expect(find(sources)).toEqual([
      'server: Relation is exported by server/src/contacts/contact.ts, server/src/orders/order.ts',
    ]);
  });

  it.each(['function send() {}', 'async function send() {}', 'class send {}', 'abstract class send {}'])(
    'sees %s',
    (it) => {
      expect(find({ 'sdk/src/a.ts': `export ${it}`, 'sdk/src/b.ts': `export ${it}` })).toHaveLength(1);
    },
  );

  it('accepts the same name in two packages, and a type next to a value of its name', () => {
    expect(
      find({
        'sdk/src/a.ts': 'export type Order = 1;',
        'server/src/a.ts': 'export type Order = 1;',
        'contract/src/a.ts': 'export const Order = 1;\nexport type Order = 1;',
      }),
    ).toEqual([]);
  });
});
