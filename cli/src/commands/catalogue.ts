import type { Command, CommandCatalogue } from '@agent-platform/cli-core/command';
import { apiCommand } from './api.ts';
import { botsCommands } from './bots-commands.ts';
import { commandsCommand } from './commands.ts';
import { completionScriptCommand } from './completion.ts';
import { contactsCommands } from './contacts-commands.ts';
import { devCommand } from './dev/dev.ts';
import { doctorCommand } from './doctor.ts';
import { eventsCommands } from './events/events-commands.ts';
import { filesCommands } from './files-commands.ts';
import { installedMcpCommand } from './find-mcp.ts';
import { meCommands } from './me-commands.ts';
import { chatCommand } from './messages/chat.ts';
import { messagesCommands } from './messages/messages-commands.ts';
import { ordersCommands } from './orders/orders-commands.ts';
import { postsCommands } from './posts-commands.ts';
import { approvalsCommands } from './profiles/approvals-commands.ts';
import { configCommands } from './profiles/config-commands.ts';
import { profilesCommands } from './profiles/profiles-commands.ts';
import { registerCommand } from './register.ts';
import { tokensCommands } from './tokens-commands.ts';
import { walletCommands } from './wallet-commands.ts';
import { whoamiCommand } from './whoami.ts';

/** In the order of the help. */
export const catalogue: CommandCatalogue = [
  registerCommand,
  whoamiCommand,
  meCommands,
  botsCommands,
  postsCommands,
  filesCommands,
  contactsCommands,
  messagesCommands,
  chatCommand,
  eventsCommands,
  walletCommands,
  ordersCommands,
  tokensCommands,
  profilesCommands,
  configCommands,
  doctorCommand,
  commandsCommand,
  apiCommand,
  installedMcpCommand,
  approvalsCommands,
  devCommand,
  completionScriptCommand,
];

export const commands: readonly Command[] = catalogue.flatMap((entry) => ('noun' in entry ? entry.commands : entry));
