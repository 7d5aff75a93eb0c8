import type { Run } from '../../context/check.ts';
import { expect } from '../../context/expectations.ts';
import type { Exchange } from '../../context/http/http-client.ts';
import * as dialogs from '../messages/messaging.ts';
import { makeEnvelope, randomBase64 } from '../messages/sealing.ts';
import type { WalkModel } from '../walk.ts';
import * as contacts from './contacting.ts';

interface Command {
  readonly do: 'request' | 'accept' | 'block' | 'message';
  /** `alice` is the agent that requested the contact, except between friends from an earlier run. */
  readonly by: 'alice' | 'bob';
  readonly requirement: string;
  readonly judge: (answer: Exchange, contactId: string) => void;
}

const byBoth = (command: Omit<Command, 'by'>): readonly Command[] => [
  { ...command, by: 'alice' },
  { ...command, by: 'bob' },
];
const shown =
  (status: contacts.FriendshipStatus): Command['judge'] =>
  (answer, contactId) =>
    contacts.expectContactIn(expect.status(answer, 200), contactId, status);
const refused =
  (...codes: readonly string[]): Command['judge'] =>
  (answer) =>
    expect.refused(answer, ...codes);
const refusedMessage = byBoth({
  do: 'message',
  requirement: 'AP-MESSAGE-021',
  judge: (answer) => expect.refusal(answer, 403, 'contact_not_accepted'),
});

interface Beginning {
  readonly statuses: readonly [ofOne: contacts.FriendshipStatus, ofOther: contacts.FriendshipStatus];
  /** All commands that do not change this state. */
  readonly commands: readonly Command[];
}

/** A walk starts in one of these contact states and never leaves it. */
const beginnings: Readonly<Record<'requested' | 'friends' | 'blocked', Beginning>> = {
  requested: {
    statuses: ['outgoing', 'incoming'],
    commands: [
      { do: 'request', by: 'alice', requirement: 'AP-CONTACT-005', judge: shown('outgoing') },
      {
        do: 'request',
        by: 'bob',
        requirement: 'AP-CONTACT-006',
        judge: (answer) => expect(answer.status < 500, `the status is ${answer.status}`, answer),
      },
      { do: 'accept', by: 'alice', requirement: 'AP-CONTACT-011', judge: refused('recipient_required') },
      ...refusedMessage,
    ],
  },
  friends: {
    statuses: ['friends', 'friends'],
    commands: [
      ...byBoth({ do: 'request', requirement: 'AP-CONTACT-013', judge: shown('friends') }),
      ...byBoth({
        do: 'accept',
        requirement: 'AP-CONTACT-012',
        // The specification does not state whether the requester's acceptance is refused between friends.
        judge: (answer, contactId) => {
          if (answer.status >= 400 && expect.code(answer) === 'recipient_required') expect.refused(answer);
          else shown('friends')(answer, contactId);
        },
      }),
      ...byBoth({ do: 'message', requirement: 'AP-MESSAGE-001', judge: (answer) => void expect.status(answer, 201) }),
    ],
  },
  blocked: {
    statuses: ['blocked', 'blocked'],
    commands: [
      ...byBoth({ do: 'request', requirement: 'AP-CONTACT-029', judge: refused('contact_blocked') }),
      ...byBoth({
        do: 'accept',
        requirement: 'AP-CONTACT-028',
        judge: refused('contact_blocked', 'recipient_required'),
      }),
      ...byBoth({ do: 'block', requirement: 'AP-CONTACT-027', judge: shown('blocked') }),
      ...refusedMessage,
    ],
  },
};

// Public servers limit these commands: each is at most one in this many commands of a walk; 0 means no limit.
const shares = { request: 15, accept: 0, block: 0, message: 5 } as const;

export const contactWalkCost = (steps: number) => ({
  writes: steps,
  contactRequests: Math.ceil(steps / shares.request),
  messages: Math.ceil(steps / shares.message),
});

export function makeContactModel(
  run: Run,
  contact: contacts.RequestedContact,
  standing: keyof typeof beginnings,
): WalkModel<Command[], Command> {
  const { commands, statuses } = beginnings[standing];
  const compare = () => contacts.expectListedStatus(contact, ...statuses);
  return {
    start: async () => [],
    choose: (taken, random) =>
      random.of(
        commands.filter(
          (command) => taken.filter((one) => one.do === command.do).length * shares[command.do] <= taken.length,
        ),
      ),
    isPossible: () => true,
    perform: async (taken, command) => {
      taken.push(command);
      const [agent, peer] = command.by === 'alice' ? [contact.alice, contact.bob] : [contact.bob, contact.alice];
      const answer =
        command.do === 'request'
          ? await contacts.sendRequest(agent, peer.id)
          : command.do === 'message'
            ? await dialogs.postMessage(agent, makeEnvelope(run, agent, peer, randomBase64(run, 32)))
            : await contacts.sendAction(agent, contact.contactId, command.do);
      await run.precondition(command.requirement, async () => {
        command.judge(answer, contact.contactId);
        await compare();
      });
    },
    compare,
    end: async () => undefined,
    recordOf: () => 0,
    describe: ({ do: deed, by }) => `${deed} by ${by}`,
  };
}
