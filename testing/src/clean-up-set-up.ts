import { afterAll } from 'vitest';
import { dropFreshDatabases } from './fresh-database.ts';
import { removeTestFolders } from './test-folder.ts';

// Registered before the hooks of each test file. After-hooks run in reverse order, so the tests have closed
// everything they opened by then.
afterAll(removeTestFolders);
afterAll(dropFreshDatabases);
