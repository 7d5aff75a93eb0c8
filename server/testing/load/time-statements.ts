import { Client, type QueryConfig } from 'pg';
import { findStatements, parseStatementChoice } from './profile-and-post-statements.ts';

// The SQL behind a search or a page of posts, run by the driver alone: the
// statements that our own code sends are sent again and again, and timed; as
// text, and as statements that stay prepared on their connection.
//
//   node time-statements.ts postgres://… <warm-up> <times> search <q>
//   node time-statements.ts postgres://… <warm-up> <times> posts <reader id>

const [url = '', warmUp = '1', times = '1', what, value] = process.argv.slice(2);
const sent = await findStatements(url, parseStatementChoice(what, value));

async function time(statements: readonly QueryConfig[]): Promise<readonly number[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  const took: number[] = [];
  for (let count = 0; count < Number(warmUp) + Number(times); count += 1) {
    const startedMs = performance.now();
    for (const statement of statements) await client.query(statement);
    took.push(performance.now() - startedMs);
  }
  await client.end();
  return took.slice(Number(warmUp));
}

const ms = await time(sent);
const preparedMs = await time(sent.map((statement, index) => ({ ...statement, name: `statement-${index}` })));
process.stdout.write(`${JSON.stringify({ ms, preparedMs })}\n`);
