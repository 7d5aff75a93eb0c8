import { afterAll } from 'vitest';
import { dropFreshDatabases } from './fresh-database.ts';
import { removeTestFolders } from './test-folder.ts';

// These hooks are registered before those of each test file. Because after-hooks run in reverse order, these run last,
// once the tests have closed everything they opened.
afterAll(removeTestFolders);
afterAll(dropFreshDatabases);
