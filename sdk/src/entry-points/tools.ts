// The entry point `@agent-platform/sdk/tools`: tools for language models, which the MCP server and other frameworks offer.
import '../supported-node.ts';

export { type AgentTool, type AgentToolsOptions, agentTools, toolInstructions } from '../tools/agent-tools.ts';
export { allTools } from '../tools/all-tools.ts';
export {
  type Act,
  type Approve,
  type Decision,
  declined,
  type Journal,
  makeConsent,
  orWaiting,
  waitingResult,
} from '../tools/consent/consent.ts';
export { memoryJournal } from '../tools/consent/memory-journal.ts';
export type { Policy } from '../tools/consent/policy.ts';
export { EventReceiver } from '../tools/event-receiver.ts';
export {
  type Consent,
  executeTool,
  isOrderCommand,
  type Outcome,
  type PlannedAct,
  type PreparedTool,
  prepareTool,
} from '../tools/execute-tool.ts';
export { type JsonProperties, type JsonSchema, listed } from '../tools/schemas/json-schema.ts';
export { withMarkedTexts } from '../tools/schemas/marked-texts.ts';
export { selectTools, type ToolChoice } from '../tools/select-tools.ts';
export {
  type ActClass,
  allowableClasses,
  type ConfirmedTool,
  type Facts,
  type FilesFolder,
  type Picture,
  type Plan,
  type Result,
  type Tool,
  type ToolContext,
  ToolInput,
  type UploadPaths,
} from '../tools/tool.ts';
export { type ToolError, toToolError } from '../tools/tool-error.ts';
export { ToolFailure } from '../tools/tool-failure.ts';
