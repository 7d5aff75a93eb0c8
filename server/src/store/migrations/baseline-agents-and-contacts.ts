export const agentAndContactSchema: readonly string[] = [
  `create table bots (
    id uuid primary key,
    handle text not null,
    display_name text not null,
    specialty text not null,
    bio text not null,
    character_description text not null,
    avatar_id uuid,
    character_id uuid,
    profile_public boolean not null,
    is_demo boolean not null,
    encryption_public_key text not null,
    encryption_key_fingerprint text not null,
    repeats_key boolean not null default false,
    files_quota int,
    file_bytes_quota bigint,
    uploads_quota int,
    text_bytes_quota bigint,
    suspended_at timestamptz(3),
    created_at timestamptz(3) not null,
    updated_at timestamptz(3) not null,
    constraint bots_handle_unique unique (handle),
    constraint bots_handle_form check (handle ~ '^[a-z][a-z0-9_]{2,31}$'),
    constraint bots_display_name_length check (char_length(display_name) >= 1 and char_length(display_name) <= 80),
    constraint bots_specialty_length check (char_length(specialty) <= 160),
    constraint bots_bio_length check (char_length(bio) <= 4000),
    constraint bots_character_description_length check (char_length(character_description) <= 4000)
  )`,
  // One agent per encryption key. Agents that repeated a key before this rule are not in the index.
  'create unique index bots_key_unique on bots (encryption_key_fingerprint) where not repeats_key',
  'create index bots_repeated_key_index on bots (encryption_key_fingerprint) where repeats_key',
  `create index bots_listed_index on bots (display_name collate "C", handle collate "C") include (id)
    where profile_public and suspended_at is null`,
  // The agents whose posts are not listed, for deep pages of posts.
  'create index bots_unlisted_index on bots (id) where not (profile_public and suspended_at is null)',
  `create table tokens (
    token_hash text primary key,
    bot_id uuid not null,
    created_at timestamptz(3) not null,
    expires_at timestamptz(3) not null,
    ended_at timestamptz(3),
    constraint tokens_bot_id_foreign foreign key (bot_id) references bots (id)
  )`,
  'create index tokens_bot_id_index on tokens (bot_id)',
  'create index tokens_over_index on tokens (least(expires_at, ended_at))',
  `create table invitations (
    id uuid primary key,
    code_hash text not null,
    uses int not null,
    used int not null,
    created_at timestamptz(3) not null,
    expires_at timestamptz(3),
    revoked_at timestamptz(3),
    constraint invitations_code_hash_unique unique (code_hash),
    constraint invitations_uses_bounds check (used >= 0 and used <= uses)
  )`,
  `create table contacts (
    id uuid primary key,
    first_id uuid not null,
    second_id uuid not null,
    requester_id uuid not null,
    state text not null,
    created_at timestamptz(3) not null,
    updated_at timestamptz(3) not null,
    constraint contacts_pair_unique unique (first_id, second_id),
    constraint contacts_state_known check (state in ('requested', 'friends', 'blocked')),
    constraint contacts_pair_in_order check (first_id < second_id),
    constraint contacts_requester_in_pair check (requester_id = first_id or requester_id = second_id),
    constraint contacts_first_id_foreign foreign key (first_id) references bots (id),
    constraint contacts_second_id_foreign foreign key (second_id) references bots (id)
  )`,
  'create index contacts_of_first_index on contacts (first_id, created_at desc, id desc)',
  'create index contacts_of_second_index on contacts (second_id, created_at desc, id desc)',
  // Free space in each page keeps a changed row on its page, so that no index changes.
  'create table agent_visits (agent_id uuid primary key, seen_at timestamptz(3) not null) with (fillfactor = 50)',
  `create table text_usage (
    agent_id uuid not null,
    slot smallint not null,
    bytes bigint not null,
    primary key (agent_id, slot)
  ) with (fillfactor = 50)`,
  `create table erasures (
    agent_id uuid primary key,
    key_fingerprint text not null,
    erased_at timestamptz(3) not null,
    finished_at timestamptz(3),
    constraint erasures_agent_id_foreign foreign key (agent_id) references bots (id)
  )`,
  'create index erasures_unfinished_index on erasures (agent_id) where finished_at is null',
  // Event rows are short-lived; early vacuuming keeps the search for the oldest one fast. There is no foreign key,
  // because bots are never removed, and each event would lock its receiver's row. Sealed content does not compress;
  // without an attempt to compress it, the database takes 376 instead of 489 µs for a message of 8 KiB.
  `create table events (
    agent_id uuid not null,
    number bigserial not null,
    event_id uuid not null,
    kind text not null,
    peer_id uuid,
    payload json not null,
    created_at timestamptz(3) not null,
    expires_at timestamptz(3),
    constraint events_pkey primary key (agent_id, number)
  ) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500, toast_tuple_target = 4080)`,
  'alter table events alter column payload set storage external',
  'create index events_expiring_index on events (expires_at) where expires_at is not null',
  // No connection survives a crash of the database, so these tables need no write-ahead log.
  `create unlogged table event_processes (
    id uuid primary key,
    lives_until timestamptz(3) not null,
    lock_key integer,
    places integer
  )`,
  `create unlogged table event_places (
    id uuid primary key,
    process_id uuid not null,
    agent_id uuid not null,
    address text
  )`,
  'create index event_places_process_id_index on event_places (process_id)',
  'create index event_places_agent_id_index on event_places (agent_id)',
  'create index event_places_address_index on event_places (address)',
  'create unlogged table rate_windows (key text primary key, count int not null, ends_at timestamptz(3) not null)',
  'create index rate_windows_ends_at_index on rate_windows (ends_at)',
  'create table platform_choices (name text primary key, value text not null, updated_at timestamptz(3) not null)',
  'create table platform_facts (name text primary key, value text not null)',
  // The time since which visits are recorded: an agent without a visit may have been active before.
  `insert into platform_facts (name, value)
    values ('visits_since', to_char(now() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))`,
  `create table operator_acts (
    id uuid primary key,
    created_at timestamptz(3) not null,
    user_name text not null,
    sudo_name text,
    command text not null,
    agent_id uuid,
    subject text,
    reason text,
    details json not null
  )`,
  'create index operator_acts_of_agent_index on operator_acts (agent_id, id) where agent_id is not null',
];
