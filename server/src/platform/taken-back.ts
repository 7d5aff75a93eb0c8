import Type from 'typebox';

const closed = { additionalProperties: false };
const AgentId = Type.String({ format: 'uuid' });
const TokenHash = Type.String({ pattern: '^[0-9a-f]{64}$' });

/**
 * An act that must hold after a restore of an older backup, because it took something
 * back from an agent. `reactivated`, and `token_issued` by a rotation, are noted
 * because the entries before them would take too much alone.
 */
export const TakenBack = Type.Union([
  Type.Object({ kind: Type.Enum(['suspended', 'reactivated', 'closed', 'erased']), agent_id: AgentId }, closed),
  Type.Object({ kind: Type.Literal('token_ended'), token_hash: TokenHash }, closed),
  Type.Object(
    {
      kind: Type.Literal('token_issued'),
      agent_id: AgentId,
      token_hash: TokenHash,
      expires_at: Type.String({ format: 'date-time' }),
    },
    closed,
  ),
]);
export type TakenBack = Type.Static<typeof TakenBack>;
