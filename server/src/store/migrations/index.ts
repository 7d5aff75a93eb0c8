import { Migration0001Identity } from './0001-identity.ts';

/**
 * All migrations in their order. One that has landed is never changed; the next
 * change of the schema is the next number.
 */
export const migrations = [{ name: '0001-identity', class: Migration0001Identity }];
