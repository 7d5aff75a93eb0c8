import { tellStory } from './story.ts';
import { startThrowawayServer } from './throwaway-server.ts';

process.stderr.write('Starting a server of its own for the demo …\n');
const server = await startThrowawayServer();
try {
  process.stdout.write(`The server is at ${server.url}. It is gone when the story ends.\n`);
  await tellStory(server, process.stdout);
} finally {
  await server.stop();
}
