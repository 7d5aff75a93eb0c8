import { randomBytes } from 'node:crypto';
import process from 'node:process';
import { Client } from 'pg';

/** Names the address of a PostgreSQL database with its tables and nothing in them; set for the tests of a run. */
export const templateDatabaseVariable = 'AGENT_PLATFORM_TEMPLATE_DATABASE';

/** A database of a test's own. */
export interface DatabaseCopy {
  /** The setting that names it to a server. */
  readonly environment: { readonly DATABASE_URL?: string };
  /** Removes it, open connections or not. */
  drop(): Promise<void>;
}

/**
 * Copies the empty database with its tables, on the PostgreSQL that all tests of
 * a run share. Nothing outside of a run of tests: the embedded database serves there.
 */
export async function copyTemplateDatabase(): Promise<DatabaseCopy> {
  const template = process.env[templateDatabaseVariable];
  if (template === undefined) return { environment: {}, drop: async () => undefined };
  const name = `copy_${randomBytes(8).toString('hex')}`;
  await executeBeside(template, (templateName) => `create database ${name} template ${templateName}`);
  const url = new URL(template);
  url.pathname = `/${name}`;
  return {
    environment: { DATABASE_URL: url.href },
    drop: () => executeBeside(template, () => `drop database if exists ${name} with (force)`),
  };
}

/** Runs a statement about databases on their server, connected to none of them. */
export async function executeBeside(databaseUrl: string, statement: (name: string) => string): Promise<void> {
  const url = new URL(databaseUrl);
  const name = url.pathname.slice(1);
  url.pathname = '/postgres';
  const client = new Client({ connectionString: url.href });
  await client.connect();
  try {
    await client.query(statement(name));
  } finally {
    await client.end();
  }
}
