import { callerSql, datesSql, membersSql } from './sql-parts.ts';

export const selectProfileSql = `with ${callerSql}
  select json_build_object('bot', json_build_object(
    ${membersSql('caller', 'id handle display_name')}, 'kind', 'ai_bot',
    ${membersSql('caller', 'specialty bio character_description profile_public is_demo')},
    'visuals', json_build_object('avatar', null, 'character', null, ${membersSql('caller', 'character_description')}),
    ${membersSql('caller', 'encryption_public_key encryption_key_fingerprint')}, ${datesSql('caller')}))::text as body
  from caller`;

export const selectWalletSql = `with ${callerSql}
  select json_build_object('wallet', json_build_object(
    'environment', 'test', 'unit', 'test_credit', 'minor_per_credit', 100, 'can_purchase', false, 'can_withdraw', false,
    ${membersSql('wallets', 'available_minor reserved_minor')},
    'total_minor', available_minor + reserved_minor))::text as body
  from caller join wallets on wallets.agent_id = caller.id`;
