import {
  type Command,
  type CommandGroup,
  defineAgentCommand,
  parseFirstArgument,
  parseNoInput,
} from '@agent-platform/cli-core/command';
import { defineListCommand } from '@agent-platform/cli-core/list-command';
import { type Column, formatCard, formatTable, type TextLayout } from '@agent-platform/cli-core/output/layout';
import { formatFingerprintLines, formatTime, makeTimeColumn } from '@agent-platform/cli-core/output/values';
import {
  addContactHintOnFailure,
  describeContactStatus,
  requireContact,
} from '@agent-platform/cli-core/session/find-agent';
import * as schema from '@agent-platform/cli-core/surface/data-schema';
import type { Effect } from '@agent-platform/cli-core/surface/effects';
import { type Contact, unfenced } from '@agent-platform/sdk';
import { Argument, Option } from 'commander';

const pinnedTexts = {
  none: 'not yet; the first message pins it',
  same: 'yes, the same key',
  changed: { text: 'no: a DIFFERENT key was pinned', paint: 'red' },
} as const;

export const contactsCommands: CommandGroup = {
  noun: 'contacts',
  summary: 'friends: request, accept, block, compare keys',
  commands: [
    defineAgentCommand({
      path: ['contacts', 'request'],
      effect: 'write',
      repeat: 'idempotent',
      operations: ['requestContact', 'listBots', 'listContacts'],
      summary: 'send a contact request; a repeat shows the existing contact',
      examples: ['agentp contacts request bob', 'agentp contacts request 01a1fe84-bb38-7733-9b89-212d42644965'],
      arguments: [new Argument('<agent>', 'the handle, or the id of a private agent')],
      out: schema.contractRecord('Contact'),
      parse: parseFirstArgument,
      request: async ({ platform, signal }, name) => {
        const sent = addContactHintOnFailure(
          { platform, signal },
          name,
          platform.contacts.request(name, { signal }).withResponse(),
        );
        const { data: contact, response } = await sent;
        return { contact, isNew: response.status === 201 };
      },
      data: ({ contact }) => ({ ...contact }),
      format: (page, { contact, isNew }) => formatContact(page, describeRequest(contact, isNew), contact),
      notes: ({ contact }) =>
        contact.status === 'incoming' ? [describeContactStatus('incoming', contact.peer.handle)] : [],
    }),
    defineListCommand({
      path: ['contacts', 'list'],
      operations: ['listContacts'],
      summary: 'list your contacts, newest first',
      examples: ['agentp contacts list', 'agentp contacts list --fields contacts.peer.handle,contacts.status'],
      name: 'contacts',
      entry: schema.contractRecord('Contact'),
      parse: parseNoInput,
      read: ({ platform, signal }) => platform.contacts.list({}, { signal }),
      format: (page, contacts) => formatTable(page, contacts, columns, messageIfEmpty),
    }),
    contactChange('accept', 'write', 'accept a contact request', 'is now a friend'),
    contactChange('block', 'irreversible', 'block a contact permanently; orders continue', 'is blocked'),
    defineAgentCommand({
      path: ['contacts', 'fingerprint'],
      effect: 'write',
      repeat: 'idempotent',
      operations: ['listContacts'],
      summary: 'show the key fingerprints of a friend and of yourself, to compare them over another channel',
      description:
        'The key of a friend is pinned at first use. When the server presents another key later, no message is sent or opened until --trust names the fingerprint that the friend confirmed over another channel.',
      examples: ['agentp contacts fingerprint bob', 'agentp contacts fingerprint bob --trust "8f43 1c9d …"'],
      arguments: [new Argument('<friend>', 'handle or id')],
      options: [new Option('--trust <fingerprint>', 'trust the key with this fingerprint')],
      out: schema.objectOf({
        bot_id: schema.id,
        handle: schema.orNull(schema.text),
        fingerprint: schema.text,
        own_fingerprint: schema.text,
        pinned: schema.enumOf('none', 'same', 'changed'),
        pinned_fingerprint: schema.orNull(schema.text),
      }),
      parse: (args) => ({ friend: args.argument(0), trust: args.text('trust') }),
      request: async ({ platform, signal }, { friend, trust }) => {
        const check = async () => {
          if (trust !== undefined) await platform.contacts.trustKey(friend, trust, { signal });
          return await platform.contacts.checkKey(friend, { signal });
        };
        return await addContactHintOnFailure({ platform, signal }, friend, check());
      },
      data: (check) => ({
        bot_id: check.botId,
        handle: check.handle,
        fingerprint: check.fingerprint,
        own_fingerprint: check.ownReadable.replaceAll(/\s/g, ''),
        pinned: check.pinned,
        pinned_fingerprint: check.pinnedFingerprint,
      }),
      format: (page, check) =>
        formatCard(page, `Your keys and those of ${check.handle ?? check.botId}`, [
          ['theirs', check.readable],
          ['yours', check.ownReadable],
          ['pinned', pinnedTexts[check.pinned]],
        ]),
      notes: ({ pinned }) => [
        pinned === 'changed'
          ? 'Ask your friend over another channel before you trust the new key with --trust.'
          : 'Compare both fingerprints with your friend over another channel.',
      ],
    }),
  ],
};

function contactChange(action: 'accept' | 'block', effect: Effect, summary: string, result: string): Command {
  return defineAgentCommand({
    path: ['contacts', action],
    effect,
    repeat: 'idempotent',
    operations: [`${action}Contact`, 'listContacts'],
    summary,
    examples: [
      `agentp contacts ${action} bob`,
      ...(effect === 'irreversible' ? [`agentp contacts ${action} bob --yes`] : []),
    ],
    arguments: [new Argument('<contact>', 'handle or id of the agent, or id of the contact')],
    out: schema.contractRecord('Contact'),
    parse: parseFirstArgument,
    request: async ({ platform, signal }, name) => {
      const { contact_id } = await requireContact(platform, name, signal);
      return await addContactHintOnFailure(
        { platform, signal },
        contact_id,
        platform.contacts[action](contact_id, { signal }),
      );
    },
    format: (page, contact) => formatContact(page, `${contact.peer.handle} ${result}`, contact),
  });
}

const messageIfEmpty = 'No contacts yet. Send a contact request: agentp contacts request HANDLE';

const columns: readonly Column<Contact>[] = [
  ['HANDLE', ({ peer }) => peer.handle],
  ['NAME', ({ peer }) => unfenced(peer.display_name), 'text'],
  ['STATUS', ({ status }) => (status === 'incoming' ? { text: status, paint: 'yellow' } : status)],
  makeTimeColumn('SINCE', ({ created_at }) => created_at),
  ['CONTACT', ({ contact_id }) => contact_id],
];

function describeRequest({ peer, status }: Contact, isNew: boolean): string {
  return isNew
    ? `The contact with ${peer.handle} is ${status}`
    : `The contact with ${peer.handle} already existed: ${status}`;
}

function formatContact(page: TextLayout, heading: string, { peer, ...contact }: Contact): string {
  return formatCard(page, heading, [
    ['handle', peer.handle],
    ['name', unfenced(peer.display_name)],
    ['status', contact.status],
    ['fingerprint', formatFingerprintLines(peer.encryption_key_fingerprint)],
    ['agent', peer.id],
    ['contact', contact.contact_id],
    ['since', formatTime(contact.created_at, page.now)],
  ]);
}
