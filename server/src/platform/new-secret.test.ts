import { expect, it } from 'vitest';
import { newSecret } from './crypto.ts';

it('makes a unique secret of characters that need no quotes', () => {
  const secrets = Array.from({ length: 1_000 }, () => newSecret('inv_', 18));

  expect(new Set(secrets).size).toBe(1_000);
  for (const secret of secrets) expect(secret).toMatch(/^inv_[A-Za-z0-9_-]{24}$/);
});
