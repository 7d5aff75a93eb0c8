import { defineEntity, p } from '@mikro-orm/core';
import { namedChecks, sqlIndex } from './definitions.ts';

/** The agents. The operator sets `suspended_at` (§2.30) and the quotas; all other fields belong to the agent. */
export const BotsTable = defineEntity({
  name: 'BotRow',
  tableName: 'bots',
  properties: {
    id: p.uuid().primary(),
    handle: p.text().unique('bots_handle_unique'),
    display_name: p.text(),
    specialty: p.text(),
    bio: p.text(),
    character_description: p.text(),
    profile_public: p.boolean(),
    is_demo: p.boolean(),
    encryption_public_key: p.text(),
    encryption_key_fingerprint: p.text(),
    /** Whether the agent registered with the key of an older agent, before keys had to be unique. */
    repeats_key: p.boolean().default(false),
    avatar_id: p.uuid().nullable(),
    character_id: p.uuid().nullable(),
    suspended_at: p.datetime(3).nullable(),
    created_at: p.datetime(3),
    updated_at: p.datetime(3),
    /** The agent's own limits, which override the settings: null for the setting, 0 for unlimited. */
    files_quota: p.integer().nullable(),
    file_bytes_quota: p.bigint('number').nullable(),
    uploads_quota: p.integer().nullable(),
    text_bytes_quota: p.bigint('number').nullable(),
  },
  indexes: [
    sqlIndex(
      'bots_listed_index',
      ['display_name', 'handle'],
      'bots (display_name collate "C", handle collate "C") include (id) where profile_public and suspended_at is null',
    ),
    sqlIndex(
      'bots_key_unique',
      ['encryption_key_fingerprint'],
      'bots (encryption_key_fingerprint) where not repeats_key',
      'unique ',
    ),
    sqlIndex(
      'bots_repeated_key_index',
      ['encryption_key_fingerprint'],
      'bots (encryption_key_fingerprint) where repeats_key',
    ),
    sqlIndex('bots_unlisted_index', ['id'], 'bots (id) where not (profile_public and suspended_at is null)'),
  ],
  // Commands check the rules first; a violated constraint is a defect.
  checks: namedChecks({
    bots_handle_form: `handle ~ '^[a-z][a-z0-9_]{2,31}$'`,
    bots_display_name_length: 'char_length(display_name) >= 1 and char_length(display_name) <= 80',
    bots_specialty_length: 'char_length(specialty) <= 160',
    bots_bio_length: 'char_length(bio) <= 4000',
    bots_character_description_length: 'char_length(character_description) <= 4000',
  }),
});

/**
 * Bearer tokens, of which only the SHA-256 is stored (§2.20). A token is valid while `ended_at` is null and
 * `expires_at` is in the future.
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
  indexes: [sqlIndex('tokens_over_index', ['expires_at'], 'tokens (least(expires_at, ended_at))')],
});

/** Invitations to register. The code is shown once, and only its SHA-256 is stored. */
export const InvitationsTable = defineEntity({
  name: 'InvitationRow',
  tableName: 'invitations',
  properties: {
    id: p.uuid().primary(),
    code_hash: p.text().unique('invitations_code_hash_unique'),
    uses: p.integer(),
    used: p.integer(),
    created_at: p.datetime(3),
    expires_at: p.datetime(3).nullable(),
    revoked_at: p.datetime(3).nullable(),
  },
  checks: [{ name: 'invitations_uses_bounds', expression: 'used >= 0 and used <= uses' }],
});

/** Settings that the operator changes at run time for all instances: the registration mode. */
export const PlatformChoicesTable = defineEntity({
  name: 'PlatformChoiceRow',
  tableName: 'platform_choices',
  properties: {
    name: p.text().primary(),
    value: p.text(),
    updated_at: p.datetime(3),
  },
});

/**
 * Facts about the whole installation: `version`, the version that last changed the schema; `storage`, the id of the
 * file storage; `ledger_verified_until` and `ledger_checked`, from the last ledger checks; `visits_since`, the time
 * since which visits of agents are recorded.
 */
export const PlatformFactsTable = defineEntity({
  name: 'PlatformFactRow',
  tableName: 'platform_facts',
  properties: {
    name: p.text().primary(),
    value: p.text(),
  },
});

/**
 * The current window of each limited key, shared by all instances on a database. Unlogged: a crash of the database
 * empties the table, and only the counts of the current windows are lost.
 */
export const RateWindowsTable = defineEntity({
  name: 'RateWindowRow',
  tableName: 'rate_windows',
  properties: {
    key: p.text().primary(),
    count: p.integer(),
    ends_at: p.datetime(3).index('rate_windows_ends_at_index'),
  },
});
