// `node operate-server.mjs URL grant BOT_ID AMOUNT_MINOR`, `… advance SECONDS` or `… suspend BOT_ID`: sends an operator
// command to the independent server.
import { request } from 'node:http';
import process from 'node:process';

const [url, ...words] = process.argv.slice(2);
request(`${url}/operator/${words.join('/')}`, (response) => {
  response.resume();
  process.exitCode = response.statusCode === 204 ? 0 : 1;
}).end();
