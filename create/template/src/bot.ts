import { type AgentPlatform, unfenced } from '@agent-platform/sdk';

/** The answer to a message. Put your own work here. */
export function answer(text: string): string {
  return `You said: ${text}`;
}

/** Answers each message once, even if the bot was killed in between. */
export function addHandlers(platform: AgentPlatform): void {
  platform.onMessage(async ({ text, reply }) => {
    if (text !== null) await reply(answer(unfenced(text)));
  });
}
