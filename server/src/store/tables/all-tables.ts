import type { InferKyselyDB } from '@mikro-orm/postgresql';
import * as care from './agent-state-table.ts';
import * as texts from './agent-state-table.ts';
import * as attachments from './attachments-table.ts';
import * as audit from './audit-table.ts';
import * as contacts from './contacts-table.ts';
import * as events from './events-table.ts';
import * as identity from './identity-table.ts';
import * as rates from './identity-table.ts';
import * as ledger from './ledger-table.ts';
import * as messages from './messages-table.ts';
import * as orders from './orders-table.ts';
import * as posts from './posts-table.ts';
import * as search from './search-texts-table.ts';

const ofAgents = { ...identity, ...contacts, ...posts, ...attachments, ...search, ...rates, ...texts, ...care };
const ofExchange = { ...events, ...messages, ...orders, ...ledger, ...audit };

/** Defines the entities of the ORM and the types of the query builder. */
export const tables = Object.values({ ...ofAgents, ...ofExchange });

export type Tables = InferKyselyDB<(typeof tables)[number]>;
