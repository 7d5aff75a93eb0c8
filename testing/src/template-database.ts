import { randomBytes } from 'node:crypto';
import process from 'node:process';
import { Client } from 'pg';

/** The environment variable with the address of a PostgreSQL database with empty tables; set during a test run. */
export const templateDatabaseVariable = 'AGENT_PLATFORM_TEMPLATE_DATABASE';

interface TestDatabase {
  /** The setting that passes the database's address to a server. */
  readonly environment: { readonly DATABASE_URL?: string };
  /** Also drops a database with open connections. */
  drop(): Promise<void>;
}

/**
 * Uses the PostgreSQL server that all tests of a run share. Does nothing outside a test run, where the embedded
 * database is used.
 */
export async function copyTemplateDatabase(): Promise<TestDatabase> {
  const template = process.env[templateDatabaseVariable];
  if (template === undefined) return { environment: {}, drop: async () => undefined };
  const { url, drop } = await createDatabase(template, new URL(template).pathname.slice(1));
  return { environment: { DATABASE_URL: url }, drop };
}

/** The template must be on the same server. */
export async function createDatabase(serverUrl: string, template: string) {
  const name = `test_${randomBytes(8).toString('hex')}`;
  await execute(serverUrl, `create database ${name} template ${template}`);
  return {
    url: withDatabase(serverUrl, name),
    drop: () => execute(serverUrl, `drop database if exists ${name} with (force)`),
  };
}

// Connects to `postgres`, because a database cannot be copied or dropped through a connection to itself.
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
