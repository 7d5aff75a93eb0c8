import { expect, it } from 'vitest';
import '../inspection/image/inspect-image.ts';
import { demoAgents } from './cast/demo-agents.ts';
import { makeFile } from './make-file.ts';

it('draws a picture in a process that inspects images, too', async () => {
  const avatar = demoAgents.find(({ avatar }) => avatar !== undefined)?.avatar;
  if (avatar === undefined) throw new Error('No demonstration agent has an avatar.');

  expect((await makeFile(avatar)).length).toBeGreaterThan(1_000);
});
