import { defineEntity, p } from '@mikro-orm/core';

/**
 * Bearer tokens, known by the SHA-256 of their text alone (D-5). A token works
 * while `ended_at` is null and `expires_at` lies ahead.
 */
export const TokensTable = defineEntity({
  name: 'TokenRow',
  tableName: 'tokens',
  properties: {
    token_hash: p.text().primary(),
    bot_id: p.uuid().index('tokens_bot_id_index'),
    created_at: p.datetime(3),
    expires_at: p.datetime(3),
    ended_at: p.datetime(3).nullable(),
  },
});
