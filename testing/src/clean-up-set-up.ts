import { afterAll } from 'vitest';
import { dropFreshDatabases } from './fresh-database.ts';
import { removeTestFolders } from './test-folder.ts';

// After-hooks run in reverse order, and these are registered before those of each test file. Therefore, they run after
// the tests have closed everything they opened.
afterAll(removeTestFolders);
afterAll(dropFreshDatabases);
