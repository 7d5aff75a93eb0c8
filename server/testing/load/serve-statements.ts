import { fastify } from 'fastify';
import { Pool } from 'pg';
import { findStatements, parseStatementChoice } from './profile-and-post-statements.ts';

// The least that any server would have to do for a search or a page of posts:
// a bare route that sends the same statements, prepared, and answers their
// rows as JSON. No token, no limit, no log. What to send is named in SEARCH or
// POSTS_OF, the database in DATABASE_URL.

const { DATABASE_URL: url = '', SEARCH: q, POSTS_OF: readerId } = process.env;
const sent = await findStatements(
  url,
  q === undefined ? parseStatementChoice('posts', readerId) : parseStatementChoice('search', q),
);
const pool = new Pool({ connectionString: url, max: 10 });
const app = fastify();

app.get('/', async () => {
  const found: unknown[] = [];
  for (const [index, { text, values }] of sent.entries()) {
    const { rows } = await pool.query({ name: `statement-${index}`, text, values });
    found.push(rows);
  }
  return found;
});

const address = await app.listen({ host: '127.0.0.1', port: 0 });
process.stdout.write(`${JSON.stringify({ msg: 'ready', url: address })}\n`);
