import { afterAll } from 'vitest';
import { dropFreshDatabases } from './fresh-database.ts';
import { removeTestFolders } from './test-folder.ts';

// Registered before the hooks of each test file. After-hooks run in reverse order, so that these run once the tests
// have closed everything they opened.
afterAll(removeTestFolders);
afterAll(dropFreshDatabases);
