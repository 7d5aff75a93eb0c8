import { expect, it } from 'vitest';
import { stableId } from './stable-id.ts';
import { isUuid } from './uuid.ts';

it('stays the same in every version: programs have already sent requests with these ids', () => {
  expect(stableId('echo', '01931f6e-0000-7000-8000-000000000001')).toBe('d761499f-4030-8b25-8543-b9a30d118b1e');
  expect(stableId('thumbnail', 'é', '')).toBe('3275a8d8-8687-8116-8e6a-49d3e47f7b17');
});

it('is a UUID of version 8 that depends on every part and its position', () => {
  const ids = [
    stableId('a', 'b'),
    stableId('b', 'a'),
    stableId('ab'),
    stableId('a,b'),
    stableId('a", "b'),
    stableId('a'),
  ];

  expect(new Set(ids).size).toBe(ids.length);
  for (const id of ids) {
    expect(isUuid(id)).toBe(true);
    expect(id).toMatch(/^.{14}8.{4}[89ab]/);
  }
});

it.each([[[]], [['upload', undefined]], [['upload', null]], [['upload', 7]]])('refuses %j', (parts) => {
  expect(() => Reflect.apply(stableId, undefined, parts)).toThrow('stableId() needs one or more texts');
});
