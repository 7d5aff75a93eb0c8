import type { Pin } from './client-state.ts';

export function findPinOfOtherAgent(pins: readonly Pin[], { bot_id, public_key }: Pin): Pin | undefined {
  return pins.find((other) => other.public_key === public_key && other.bot_id !== bot_id);
}
