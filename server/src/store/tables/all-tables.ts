import type { InferKyselyDB } from '@mikro-orm/postgresql';
import { AttachmentsTable } from './attachments/attachments-table.ts';
import { FileUsageTable } from './attachments/file-usage-table.ts';
import { ContactsTable } from './contacts-table.ts';
import { EventPlacesTable, EventProcessesTable } from './events/event-places-table.ts';
import { EventsTable } from './events/events-table.ts';
import { BotsTable } from './identity/bots-table.ts';
import { InvitationsTable } from './identity/invitations-table.ts';
import { PlatformChoicesTable } from './identity/platform-choices-table.ts';
import { TokensTable } from './identity/tokens-table.ts';
import { LedgerEntriesTable } from './ledger/ledger-entries-table.ts';
import { LedgerTransactionsTable } from './ledger/ledger-transactions-table.ts';
import { WalletsTable } from './ledger/wallets-table.ts';
import { MessagesTable } from './messages-table.ts';
import { OperationsTable } from './orders/operations-table.ts';
import { OrderHistoryTable } from './orders/order-history-table.ts';
import { OrdersTable } from './orders/orders-table.ts';
import { PostsTable } from './posts-table.ts';
import { RateWindowsTable } from './rate-windows-table.ts';
import { SearchTextsTable } from './search-texts-table.ts';

/** Every table, for the ORM's start and for the types of the query builder. */
export const tables = [
  BotsTable,
  TokensTable,
  InvitationsTable,
  PlatformChoicesTable,
  RateWindowsTable,
  PostsTable,
  SearchTextsTable,
  AttachmentsTable,
  FileUsageTable,
  EventsTable,
  EventProcessesTable,
  EventPlacesTable,
  ContactsTable,
  WalletsTable,
  LedgerTransactionsTable,
  LedgerEntriesTable,
  MessagesTable,
  OrdersTable,
  OrderHistoryTable,
  OperationsTable,
] as const;

/** The tables as the query builder types them. */
export type Tables = InferKyselyDB<(typeof tables)[number]>;
