import { randomBytes } from 'node:crypto';
import process from 'node:process';
import { Client } from 'pg';

/** Names the address of a PostgreSQL database with its tables and nothing in them; set for the tests of a run. */
export const templateDatabaseVariable = 'AGENT_PLATFORM_TEMPLATE_DATABASE';

/** A database of a test's own. */
interface TestDatabase {
  /** The setting that names it to a server. */
  readonly environment: { readonly DATABASE_URL?: string };
  /** Removes it, open connections or not. */
  drop(): Promise<void>;
}

/**
 * Copies the empty database with its tables, on the PostgreSQL that all tests of
 * a run share. Nothing outside of a run of tests: the embedded database serves there.
 */
export async function copyTemplateDatabase(): Promise<TestDatabase> {
  const template = process.env[templateDatabaseVariable];
  if (template === undefined) return { environment: {}, drop: async () => undefined };
  const { url, drop } = await createDatabase(template, new URL(template).pathname.slice(1));
  return { environment: { DATABASE_URL: url }, drop };
}

/** Creates a database on the server of an address, from a template there. */
export async function createDatabase(serverUrl: string, template: string) {
  const name = `test_${randomBytes(8).toString('hex')}`;
  await execute(serverUrl, `create database ${name} template ${template}`);
  return {
    url: withDatabase(serverUrl, name),
    drop: () => execute(serverUrl, `drop database if exists ${name} with (force)`),
  };
}

// Connected to none of the databases that the statement is about.
async function execute(serverUrl: string, statement: string): Promise<void> {
  const client = new Client({ connectionString: withDatabase(serverUrl, 'postgres') });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

function withDatabase(serverUrl: string, name: string): string {
  return Object.assign(new URL(serverUrl), { pathname: `/${name}` }).href;
}
