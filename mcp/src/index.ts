export { ToolFailure } from '@agent-platform/sdk/tools';
export { type ServedAgent, type ServeOptions, serveAgent } from './server/serve.ts';
