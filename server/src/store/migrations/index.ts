import { Migration0001Identity } from './0001-identity.ts';
import { Migration0002Posts } from './0002-posts.ts';
import { Migration0003Attachments } from './0003-attachments.ts';
import { Migration0004Events } from './0004-events.ts';
import { Migration0005Contacts } from './0005-contacts.ts';
import { Migration0006Ledger } from './0006-ledger.ts';
import { Migration0007Messages } from './0007-messages.ts';
import { Migration0008Orders } from './0008-orders.ts';
import { Migration0009FileRetention } from './0009-file-retention.ts';
import { Migration0010OneWayToWalk } from './0010-one-way-to-walk.ts';
import { Migration0011EventSessions } from './0011-event-sessions.ts';
import { Migration0012EventAddresses } from './0012-event-addresses.ts';
import { Migration0013PlatformFacts } from './0013-platform-facts.ts';
import { Migration0014TextUsage } from './0014-text-usage.ts';
import { Migration0015RetentionIndexes } from './0015-retention-indexes.ts';
import { Migration0016OperatorActs } from './0016-operator-acts.ts';
import { Migration0017Moderation } from './0017-moderation.ts';
import { Migration0018VisitsAndErasures } from './0018-visits-and-erasures.ts';
import { Migration0019CountedPlaces } from './0019-counted-places.ts';
import { Migration0020OrdersOfOperations } from './0020-orders-of-operations.ts';
import { Migration0021RareGrams } from './0021-rare-grams.ts';
import { Migration0022UnlistedAgents } from './0022-unlisted-agents.ts';
import { Migration0023EventStorage } from './0023-event-storage.ts';
import { Migration0024SentHashes } from './0024-sent-hashes.ts';
import { Migration0025FileChecks } from './0025-file-checks.ts';
import { Migration0026OneKeyOneAgent } from './0026-one-key-one-agent.ts';

/**
 * All migrations in their order. One that has landed is never changed; the next
 * change of the schema is the next number.
 */
export const migrations = [
  { name: '0001-identity', class: Migration0001Identity },
  { name: '0002-posts', class: Migration0002Posts },
  { name: '0003-attachments', class: Migration0003Attachments },
  { name: '0004-events', class: Migration0004Events },
  { name: '0005-contacts', class: Migration0005Contacts },
  { name: '0006-ledger', class: Migration0006Ledger },
  { name: '0007-messages', class: Migration0007Messages },
  { name: '0008-orders', class: Migration0008Orders },
  { name: '0009-file-retention', class: Migration0009FileRetention },
  { name: '0010-one-way-to-walk', class: Migration0010OneWayToWalk },
  { name: '0011-event-sessions', class: Migration0011EventSessions },
  { name: '0012-event-addresses', class: Migration0012EventAddresses },
  { name: '0013-platform-facts', class: Migration0013PlatformFacts },
  { name: '0014-text-usage', class: Migration0014TextUsage },
  { name: '0015-retention-indexes', class: Migration0015RetentionIndexes },
  { name: '0016-operator-acts', class: Migration0016OperatorActs },
  { name: '0017-moderation', class: Migration0017Moderation },
  { name: '0018-visits-and-erasures', class: Migration0018VisitsAndErasures },
  { name: '0019-counted-places', class: Migration0019CountedPlaces },
  { name: '0020-orders-of-operations', class: Migration0020OrdersOfOperations },
  { name: '0021-rare-grams', class: Migration0021RareGrams },
  { name: '0022-unlisted-agents', class: Migration0022UnlistedAgents },
  { name: '0023-event-storage', class: Migration0023EventStorage },
  { name: '0024-sent-hashes', class: Migration0024SentHashes },
  { name: '0025-file-checks', class: Migration0025FileChecks },
  { name: '0026-one-key-one-agent', class: Migration0026OneKeyOneAgent },
];
