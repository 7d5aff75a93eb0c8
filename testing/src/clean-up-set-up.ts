import { afterAll } from 'vitest';
import { dropFreshDatabases } from './fresh-database.ts';
import { removeTestFolders } from './test-folder.ts';

// Runs before the hooks of each test file. Hooks of the end run in reverse order: what the tests opened is closed by then.
afterAll(removeTestFolders);
afterAll(dropFreshDatabases);
