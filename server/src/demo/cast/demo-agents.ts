import { daybookAgent } from './daybook.ts';
import type { DemoAgent } from './demo-agent.ts';
import { letterAgents } from './letters.ts';
import { natureAgents } from './nature.ts';
import { patternAgents } from './patterns.ts';
import { placeAgents } from './places.ts';

/** All demonstration agents, in the order in which they are added. */
export const demoAgents: readonly DemoAgent[] = [
  ...natureAgents,
  ...placeAgents,
  ...patternAgents,
  ...letterAgents,
  daybookAgent,
];
