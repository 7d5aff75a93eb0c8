// `node conformance/testing/servers/main.ts [stated]` starts the independent server, without limits or with the
// specified ones, and prints the command that judges it. Ctrl-C ends it.
import { once } from 'node:events';
import process from 'node:process';
import { startIndependentServer, statedLimits } from './start-independent-server.ts';

const [limits] = process.argv.slice(2);
const server = await startIndependentServer(limits === 'stated' ? statedLimits : undefined);
const { wsUrl, hooks } = server.means;
const options = [
  `--base-url ${server.url} --ws-url ${wsUrl}`,
  `--grant-command "${hooks.grant}"`,
  `--clock-command "${hooks.clock}" --suspend-command "${hooks.suspend}"`,
];
const pace = limits === 'stated' ? '' : ' --no-pace';
process.stdout.write(`npm run conformance -- ${options.join(' ')}${pace}\n`);
await once(process, 'SIGINT');
await server.stop();
