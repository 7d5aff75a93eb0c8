import { randomUUID } from 'node:crypto';
import type { Behaviour, Observation } from '../../context/check.ts';
import { codeOf, expectObject } from '../../context/expectations.ts';
import type { Exchange } from '../../context/http/http-client.ts';
import { isObject, type JsonObject } from '../../context/json.ts';
import { contactsPath } from '../../context/paths.ts';
import type { Run } from '../../context/run.ts';
import { listContacts, requestContact } from '../../fixtures/contacts/contacting.ts';
import { contactIdOf, friendPair } from '../../fixtures/contacts/leases.ts';
import { observation } from '../observation.ts';

/** What servers may choose of contacts. Looks come after the checks: the agents that stay are friends. */
export const contactObservations: readonly Observation[] = [
  observation('contact-members', 'AP-CONTACT-036', 'Which members does a contact have? (D-9)', async (run) => {
    const { contacts } = (await listOf(run)) as { readonly contacts?: unknown };
    const [contact] = Array.isArray(contacts) ? contacts : [];
    const names = Object.keys(isObject(contact) ? contact : {});
    const peer = isObject(contact) && isObject(contact['peer']) ? Object.keys(contact['peer']) : [];
    const decided = ['contact_id', 'status', 'peer', 'created_at', 'updated_at'];
    const ofPeer = ['id', 'handle', 'display_name', 'encryption_public_key', 'encryption_key_fingerprint'];
    const asDecided = decided.every((name) => names.includes(name)) && ofPeer.every((name) => peer.includes(name));
    return { observed: `${names.join(', ')}; in peer: ${peer.join(', ')}`, matchesDecision: asDecided };
  }),
  observation(
    'contact-containers',
    'AP-CONTACT-037',
    'Which containers hold contacts? (D-7, D-9)',
    async (run) => {
      const list = Object.keys(await listOf(run));
      const one = Object.keys(expectObject(await repeatRequest(run)));
      const asDecided = list.toSorted().join() === 'contacts,next_before' && one.join() === 'contact';
      return { observed: `lists: ${list.join(', ')}; single ones: ${one.join(', ')}`, matchesDecision: asDecided };
    },
    { writes: 1, contactRequests: 1 },
  ),
  observation(
    'mutual-request',
    'AP-CONTACT-038',
    'How is a request from the other side answered? (D-27)',
    async (run) => {
      return answeredWith(run.recall('mutual request'), 200);
    },
  ),
  observation('request-of-nobody', 'AP-CONTACT-039', 'How is an unknown recipient answered? (D-27)', async (run) => {
    return answeredWith(run.recall('request of nobody'), 404, 'not_found');
  }),
  observation(
    'acceptance-members',
    'AP-CONTACT-041',
    'How is an acceptance with body members handled? (D-21)',
    async (run) => {
      const friends = await friendPair(run);
      const path = `${contactsPath}/${await contactIdOf(run, friends)}/accept`;
      const { token } = friends.other;
      return answeredWith(
        await run.send({ method: 'POST', path, token, json: { mood: 'fine' } }),
        ...([400, 'invalid_fields'] as const),
      );
    },
    { writes: 2, contactRequests: 1 },
  ),
  observation('contacts-before', 'AP-CONTACT-042', 'How is an invalid before handled? (D-7)', async (run) => {
    const { token } = await run.primaryAgent();
    const unknown = await run.send({ path: `${contactsPath}?before=${randomUUID()}`, token });
    const malformed = await run.send({ path: `${contactsPath}?before=no-uuid`, token });
    return both(
      ['unknown', answeredWith(unknown, 404, 'not_found')],
      ['malformed', answeredWith(malformed, 400, 'invalid_id')],
    );
  }),
  observation(
    'contact-statuses',
    'AP-CONTACT-043',
    'Which status do the contact codes have?',
    async (run) => {
      const kept = await run.primaryAgent();
      return both(
        ['oneself', answeredWith(await requestContact(run, kept, kept.id), 400, 'self_contact')],
        ['by the requester', answeredWith(run.recall('acceptance by the requester'), 403, 'recipient_required')],
        ['after a block', answeredWith(run.recall('blocked request'), 403, 'contact_blocked')],
      );
    },
    { writes: 1, contactRequests: 1 },
  ),
];

/** Compares status and code of an answer with what was decided. */
export function answeredWith(answer: Exchange, status: number, code?: string): Behaviour {
  const seenCode = codeOf(answer);
  const seen = seenCode === undefined ? String(answer.status) : `${answer.status} ${seenCode}`;
  return { observed: seen, matchesDecision: answer.status === status && seenCode === code };
}

/** Several choices in one. */
export function both(...choices: readonly (readonly [what: string, choice: Behaviour])[]): Behaviour {
  return {
    observed: choices.map(([what, { observed: seen }]) => `${what}: ${seen}`).join(', '),
    matchesDecision: choices.every(([, { matchesDecision: asDecided }]) => asDecided),
  };
}

async function listOf(run: Run): Promise<JsonObject> {
  return expectObject(await listContacts(run, (await friendPair(run)).one));
}

async function repeatRequest(run: Run): Promise<Exchange> {
  const { one, other } = await friendPair(run);
  return await requestContact(run, one, other.id);
}
