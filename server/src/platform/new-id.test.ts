import { describe, expect, it } from 'vitest';
import { newId } from './new-id.ts';

const form = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe('ids', () => {
  it('are UUIDs of version 7 that never repeat', () => {
    const ids = Array.from({ length: 5_000 }, newId);

    expect(new Set(ids).size).toBe(5_000);
    for (const id of ids) expect(id).toMatch(form);
  });

  it('of records are ordered by the time that they were made', () => {
    const ids = Array.from({ length: 5_000 }, newId);

    expect(ids).toEqual(ids.toSorted());
  });
});
