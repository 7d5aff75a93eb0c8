// `node grant.ts DATA_DIR BOT_ID AMOUNT_MINOR`: grants credits as an operator of the
// reference server, by its socket; the operator's own command takes four times as long to start.
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import process from 'node:process';

const [folder = '', agent, amount] = process.argv.slice(2);
const body = JSON.stringify({ command: 'credits grant', arguments: { agent, amount_minor: Number(amount) } });
const socketPath = join(folder, 'operator.sock');
const authorization = `Bearer ${readFileSync(join(folder, 'operator.key'), 'utf8')}`;
const headers = { authorization, 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
const asking = request({ socketPath, path: '/command', method: 'POST', headers }, (response) => {
  let said = '';
  response.setEncoding('utf8').on('data', (part: string) => {
    said += part;
  });
  response.once('end', () => {
    if ('result' in JSON.parse(said)) return;
    process.stderr.write(said);
    process.exitCode = 1;
  });
});
asking.end(body);
