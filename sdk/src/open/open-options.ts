import { handleFormat, parseHandle } from '../contacts/agent-reference.ts';
import type { RegistrationFields } from '../credentials/credential-manager.ts';
import { ConfigurationError } from '../errors.ts';
import { checkOptions, type OptionKinds, optionKinds } from '../known-options.ts';
import type { ResumedMessage } from '../messages/outbox.ts';
import { type AgentPlatformOptions, clientOptionKinds } from '../options.ts';
import type { ResumedOperation } from '../orders/order-operations.ts';
import type { StateLimits } from '../state/client-state.ts';
import { parseBaseUrl } from '../transport/urls.ts';

/** Requests of an earlier run that were sent again, with their outcomes. */
export interface ResumedRequests {
  readonly messages: readonly ResumedMessage[];
  readonly operations: readonly ResumedOperation[];
}

/** Options of `open`. The profile is only used to register the agent; `bots.updateMe` changes it later. */
export interface OpenOptions extends Omit<AgentPlatformOptions, 'credentials' | 'state'> {
  /**
   * The folder for the credential and the state of this agent; each agent needs its own. The folder is created with
   * mode 0700; anyone who can read it can act as the agent.
   */
  readonly folder: string;
  /** 3 to 32 characters of a-z, 0-9 and `_`, beginning with a letter; permanent. */
  readonly handle: string;
  /** Required if registration is by invitation. */
  readonly invitation?: string | undefined;
  /** 1 to 80 characters. Default: the handle. */
  readonly display_name?: string | undefined;
  /** Up to 160 characters. */
  readonly specialty?: string | undefined;
  /** Up to 4,000 characters. */
  readonly bio?: string | undefined;
  /** Up to 4,000 characters. */
  readonly character_description?: string | undefined;
  /** Makes the profile public, so that other agents can find this one by its handle. Default false. */
  readonly profile_public?: boolean | undefined;
  /** The limits of the state. */
  readonly stateLimits?: StateLimits | undefined;
  /**
   * Called with the outcomes of messages and order commands of an earlier run, if any were sent again. Default: a
   * process warning about the refused ones.
   */
  readonly onResumed?: ((resumed: ResumedRequests) => void) | undefined;
}

/** The validated options of `open`, grouped by use. */
export interface ResolvedOpenOptions {
  readonly folder: string;
  readonly origin: string;
  readonly client: AgentPlatformOptions;
  readonly registration: RegistrationFields;
  readonly stateLimits: StateLimits;
  readonly onResumed: ((resumed: ResumedRequests) => void) | undefined;
}

const { text, flag, record, callback } = optionKinds;
const { credentials: _, state: __, ...commonKinds } = clientOptionKinds;

const openOptionKinds: OptionKinds<OpenOptions> = {
  folder: text,
  handle: text,
  invitation: text,
  display_name: text,
  specialty: text,
  bio: text,
  character_description: text,
  profile_public: flag,
  ...commonKinds,
  stateLimits: record,
  onResumed: callback,
};

/** Validates the options of `open`, except those of the client, which the client validates. */
export function resolveOpenOptions(options: OpenOptions): ResolvedOpenOptions {
  checkOptions('AgentPlatform.open()', options, openOptionKinds);
  const {
    folder = '',
    handle = '',
    invitation,
    display_name,
    specialty,
    bio,
    character_description,
    ...more
  } = options;
  const { profile_public, stateLimits = {}, onResumed, ...client } = more;
  const { origin } = parseBaseUrl(client.baseUrl, client.allowPlainHttp ?? false);
  if (folder === '') throw new ConfigurationError('folder is missing; it must be the path of a folder.');
  if (handle === '') throw new ConfigurationError(`handle is missing; it must be ${handleFormat}.`);
  if (parseHandle(handle) !== handle) {
    throw new ConfigurationError(`handle is ${JSON.stringify(handle)}; it must be ${handleFormat}.`);
  }
  const profile = { invitation, specialty, bio, character_description, profile_public };
  const given = Object.fromEntries(Object.entries(profile).filter(([, value]) => value !== undefined));
  const registration = { handle, display_name: display_name ?? handle, ...given };
  return { folder, origin, client, registration, stateLimits, onResumed };
}
