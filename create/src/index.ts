export { createAgent } from './create-agent.ts';
