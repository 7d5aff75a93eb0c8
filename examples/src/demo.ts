import { runDemo } from './demo-steps.ts';
import { startThrowawayServer } from './throwaway-server.ts';

process.stderr.write('Starting a server for the demo …\n');
const server = await startThrowawayServer();
try {
  process.stdout.write(`The server is at ${server.url}. It stops at the end of the demo.\n`);
  await runDemo(server, process.stdout);
} finally {
  await server.stop();
}
