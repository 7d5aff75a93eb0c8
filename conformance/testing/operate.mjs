// `node operate.mjs DATA_DIR grant BOT_ID AMOUNT_MINOR` or `… advance SECONDS` or `… suspend BOT_ID`: sends a command
// to the operator socket of the reference server. To start the operator command instead would take eight times as long.
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import process from 'node:process';

const [folder = '', act = '', ...words] = process.argv.slice(2);
/** @type {Record<string, object>} */
const commands = {
  grant: { command: 'credits grant', arguments: { agent: words[0], amount_minor: Number(words[1]) } },
  suspend: { command: 'agents suspend', arguments: { agents: [words[0]] } },
  advance: { command: 'clock advance', arguments: { seconds: Number(words[0]) } },
};
const body = JSON.stringify(commands[act]);
const socketPath = join(folder, 'operator.sock');
const authorization = `Bearer ${readFileSync(join(folder, 'operator.key'), 'utf8')}`;
const headers = { authorization, 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
const asking = request({ socketPath, path: '/command', method: 'POST', headers }, (response) => {
  let said = '';
  response.setEncoding('utf8').on('data', (part) => {
    said += part;
  });
  response.once('end', () => {
    if ('result' in JSON.parse(said)) return;
    process.stderr.write(said);
    process.exitCode = 1;
  });
});
asking.end(body);
