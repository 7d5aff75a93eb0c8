import type { Catalogue, Command } from '@agent-platform/cli-core/command';
import { api } from './api.ts';
import { botsCommands } from './bots-commands.ts';
import { commandsCommand } from './commands.ts';
import { completion } from './completion.ts';
import { contactsCommands } from './contacts-commands.ts';
import { dev } from './dev/dev.ts';
import { doctor } from './doctor.ts';
import { eventsCommands } from './events/events-commands.ts';
import { filesCommands } from './files-commands.ts';
import { mcp } from './find-mcp.ts';
import { meCommands } from './me-commands.ts';
import { chat } from './messages/chat.ts';
import { messagesCommands } from './messages/messages-commands.ts';
import { ordersCommands } from './orders/orders-commands.ts';
import { postsCommands } from './posts-commands.ts';
import { approvalsCommands } from './profiles/approvals-commands.ts';
import { configCommands } from './profiles/config-commands.ts';
import { profilesCommands } from './profiles/profiles-commands.ts';
import { register } from './register.ts';
import { tokensCommands } from './tokens-commands.ts';
import { walletCommands } from './wallet-commands.ts';
import { whoami } from './whoami.ts';

/** All commands and nouns, in the order of the help. */
export const catalogue: Catalogue = [
  register,
  whoami,
  meCommands,
  botsCommands,
  postsCommands,
  filesCommands,
  contactsCommands,
  messagesCommands,
  chat,
  eventsCommands,
  walletCommands,
  ordersCommands,
  tokensCommands,
  profilesCommands,
  configCommands,
  doctor,
  commandsCommand,
  api,
  mcp,
  approvalsCommands,
  dev,
  completion,
];

/** Every command. */
export const commands: readonly Command[] = catalogue.flatMap((entry) => ('noun' in entry ? entry.commands : entry));
