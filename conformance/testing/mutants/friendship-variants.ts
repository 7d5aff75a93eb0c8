import { randomUUID } from 'node:crypto';
import { parseFaults } from '../fault-language.ts';
import {
  changeSelectedReplies,
  codeIn,
  idIn,
  isAbout,
  jsonReply,
  parseJsonObject,
  refusal,
  tokenOf,
} from '../faults.ts';
import type { Fault, ProxiedRequest } from '../passing.ts';

const isSent = (passing: ProxiedRequest) => isAbout(passing, 'POST /api/v1/messages');
const taken = () => jsonReply(201, { sent: { message_id: randomUUID() } });
const empty = '200 {"items":[],"next_before":null}';

export const friendshipVariants = parseFaults(
  'choice',
  `
rename the members of contacts | contact-members | * /contacts* -> members status=state peer=with updated_at=changed
put contacts elsewhere | contact-containers | * /contacts* -> members contact=relation contacts=items
call a mutual request a conflict | mutual-request | POST /contacts/requests 200 has:'"incoming"' -> 409 state_conflict
call the id of a missing agent invalid | request-of-nobody | POST /contacts/requests 404 -> 400 invalid_id
refuse a requester before reading its acceptance |  | = refusesRequestersFirst
ignore members of an acceptance | acceptance-members | POST /contacts/* <- drop mood
find nothing behind an unknown contact | contacts-before | GET /contacts?* refused -> ${empty}
have one status for all refusals of contacts | contact-statuses | * self_contact -> 422 & * recipient_required -> 422 & * contact_blocked -> 422
rename the members of messages | message-members | * /messages* -> members id=message_id sender_id=from
put messages elsewhere | message-containers | * /messages* -> replace '"message":{' '"sent":{' & * /messages* -> members messages=dialog
count nonces for each sender | nonce-both-ways | = countsNoncesOfSenders
compare no keys | other-keys | = comparesNoKeys
read base64 in all its forms | canonical-base64 | POST /messages <- map ciphertext canonical
call a body without an envelope malformed | envelope-needed | * encrypted_envelope_required -> code invalid_envelope
ignore unknown members of an envelope | envelope-members | POST /messages <- drop mood
find an empty dialog with every agent | dialog-of-strangers | GET /messages?* path:'^(?!.*before=)' 404 -> ${empty}
take no repeats after a block | repeat-after-block | = refusesRepeatsAfterBlock
find no recipient that does not exist | message-to-nobody | = findsNoUnknownRecipient
have another status for other encryption | message-statuses | * unsupported_encryption -> 422
call malformed ids fields | envelope-ids | POST /messages invalid_id -> 400 invalid_fields
find nothing behind an unknown message | messages-before | GET /messages?* path:'before=' 404 -> ${empty}
have taken the published test vector from another agent, and count nonces for all agents together |  | POST /messages sent:'BxEbJS85Q01XYWt1f4mTnaexu8XP2ePt' <- 409 nonce_reuse
`,
  { canonical },
  {
    comparesNoKeys: changeSelectedReplies((passing) => codeIn(passing) === 'key_changed', taken),
    countsNoncesOfSenders,
    refusesRepeatsAfterBlock,
    refusesRequestersFirst,
    findsNoUnknownRecipient,
  },
);

function countsNoncesOfSenders(): Fault {
  // Senders are identified by public key, because their tokens may change.
  const senderOf = (sent: ProxiedRequest) => parseJsonObject(sent.body)?.['sender_public_key'];
  const senders = new Map<unknown, unknown>();
  return {
    onReply: (passing, sent) => {
      if (!isSent(sent)) return passing;
      const nonce = parseJsonObject(sent.body)?.['nonce'];
      if (passing.status === 201) senders.set(nonce, senderOf(sent));
      return codeIn(passing) === 'nonce_reuse' && senders.get(nonce) !== senderOf(sent) ? taken() : passing;
    },
  };
}

function refusesRepeatsAfterBlock(): Fault {
  const blockers = new Set<string | undefined>();
  return {
    onReply: (passing, sent) => {
      if (sent.path.endsWith('/block') && passing.status === 200) blockers.add(tokenOf(sent));
      const isRepeat = isSent(sent) && passing.status === 200;
      return isRepeat && blockers.has(tokenOf(sent)) ? refusal(403, 'contact_not_accepted') : passing;
    },
  };
}

function refusesRequestersFirst(): Fault {
  const requesters = new Map<string, string | undefined>();
  return {
    onReply: (passing, sent) => {
      if (sent.path.endsWith('/requests') && passing.status === 201) requesters.set(idIn(passing.body), tokenOf(sent));
      const isMalformed = sent.path.endsWith('/accept') && [400, 415].includes(passing.status);
      const isRequester =
        isMalformed && tokenOf(sent) !== undefined && requesters.get(idIn(sent.path)) === tokenOf(sent);
      return isRequester ? refusal(403, 'recipient_required') : passing;
    },
  };
}

function findsNoUnknownRecipient(): Fault {
  const known = new Set<unknown>();
  return {
    onReply: (passing, sent) => {
      if (isAbout(sent, 'POST /api/v1/bots/register'))
        known.add((parseJsonObject(passing.body)?.['bot'] as { readonly id?: unknown } | undefined)?.id);
      const isUnknown = isSent(sent) && !known.has(parseJsonObject(sent.body)?.['recipient_id']);
      return isUnknown && codeIn(passing) === 'contact_not_accepted' ? refusal(404, 'not_found') : passing;
    },
  };
}

function canonical(text: unknown): unknown {
  const isReadable = typeof text === 'string' && /^[\w+/=\n-]*$/.test(text);
  return isReadable ? Buffer.from(text, 'base64').toString('base64') : text;
}
