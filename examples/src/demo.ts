import { tellStory } from './story.ts';
import { startThrowawayServer } from './throwaway-server.ts';

const tell = (line: string) => process.stdout.write(`${line}\n`);

process.stderr.write('Starting a server of its own for the demo …\n');
const server = await startThrowawayServer();
try {
  tell(`The server is at ${server.url}. It is gone when the story ends.`);
  await tellStory(server.url, tell);
} finally {
  await server.stop();
}
