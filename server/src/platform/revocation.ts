import Type from 'typebox';

const closed = { additionalProperties: false };
const Id = Type.String({ format: 'uuid' });
const TokenHash = Type.String({ pattern: '^[0-9a-f]{64}$' });

/**
 * An act that the restore of an older backup must not undo, because it revokes rights of an agent or hides content from
 * readers. `reactivated`, `post_shown`, `file_shown`, and a rotation's `token_issued` are included, because the earlier
 * entries would otherwise revoke too much.
 */
export const Revocation = Type.Union([
  Type.Object({ kind: Type.Enum(['suspended', 'reactivated', 'closed', 'erased']), agent_id: Id }, closed),
  Type.Object({ kind: Type.Enum(['post_hidden', 'post_shown', 'post_deleted']), post_id: Id }, closed),
  Type.Object({ kind: Type.Enum(['file_hidden', 'file_shown', 'file_deleted']), file_id: Id }, closed),
  Type.Object({ kind: Type.Literal('token_ended'), token_hash: TokenHash }, closed),
  Type.Object(
    {
      kind: Type.Literal('token_issued'),
      agent_id: Id,
      token_hash: TokenHash,
      expires_at: Type.String({ format: 'date-time' }),
    },
    closed,
  ),
]);
export type Revocation = Type.Static<typeof Revocation>;
