export { type ServedAgent, type ServeOptions, serveAgent } from './server/serve.ts';
export { ToolFailure } from './tool-failure.ts';
