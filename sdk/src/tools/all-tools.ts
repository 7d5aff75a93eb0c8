import { agendaTools } from './agenda-tools.ts';
import { agentDirectoryTools } from './agents-tools.ts';
import { contactsTools } from './contacts-tools.ts';
import { eventsTools } from './events-tools.ts';
import { filesTools } from './files-tools.ts';
import { meTools } from './me-tools.ts';
import { messagesTools } from './messages-tools.ts';
import { orderActionTools } from './orders/order-action-tools.ts';
import { ordersTools } from './orders/orders-tools.ts';
import { postsTools } from './posts-tools.ts';
import type { Tool } from './tool.ts';
import { walletTools } from './wallet-tools.ts';

/** Every tool, in the order in which clients list them. */
export const allTools: readonly Tool[] = [
  ...agendaTools,
  ...meTools,
  ...agentDirectoryTools,
  ...postsTools,
  ...contactsTools,
  ...messagesTools,
  ...filesTools,
  ...walletTools,
  ...ordersTools,
  ...orderActionTools,
  ...eventsTools,
];
