import { runSqlAroundRequests } from '../../around-requests.ts';
import { parseCatalogueTable } from '../../catalogue-mutants.ts';
import { isAbout, parseJsonObject, refusal, tokenOf, withJson } from '../../faults.ts';
import { countInProgress, rememberAgents } from '../../memories.ts';
import type { Fault, ProxiedRequest } from '../../passing.ts';

const table = `
closes the profile that a change does not mention | PATCH changes the members that are sent | PATCH /bots/me sent:'^.{1,9999}$' <- default profile_public false
opens the profile with a new bio | profile_public false to true: by PATCH of own profile | before update on bots | if new.bio <> old.bio then new.profile_public := true; end if; return new;
names the agent anew with a new specialty | PATCH changes the members that are sent | before update on bots | if new.specialty <> old.specialty then new.display_name := new.handle; end if; return new;
keeps the name once the profile has changed | PATCH /bots/me changes display_name | before update on bots | if old.updated_at > old.created_at then new.display_name := old.display_name; end if; return new;
needs no rights for an image of a closed profile | rights_confirmed: true, also while the profile is closed | = rightsWhileClosed
remembers the rights of the first image | Binding a new image needs rights_confirmed: true | = remembersRights
loses the avatar when another is refused | a refusal changes nothing | = losesAvatar
loses one of two changes at the same time | PATCH changes the members that are sent | = losesUpdates
answers an agent that has closed its profile with 404 | GET /bots/me: own profile, also when private | = losesClosed
`;

const isChange = (sent: ProxiedRequest) => isAbout(sent, 'PATCH /api/v1/bots/me');
const editable = ['display_name', 'specialty', 'bio', 'profile_public', 'character_description'];

const hasImage = (sent: ProxiedRequest) => isChange(sent) && /attachment_id":"/.test(sent.body);
const withRights = (sent: ProxiedRequest) => withJson(sent, (body) => ({ rights_confirmed: true, ...body }));

function rightsWhileClosed(): Fault {
  const { note, of } = rememberAgents();
  return {
    onRequest: (sent) => (hasImage(sent) && of(sent)?.['profile_public'] === false ? withRights(sent) : sent),
    onReply: (reply, sent) => {
      note(reply, sent);
      return reply;
    },
  };
}

function remembersRights(): Fault {
  const confirmed = new Set<string>();
  return {
    onRequest: (sent) => (hasImage(sent) && confirmed.has(tokenOf(sent) ?? '') ? withRights(sent) : sent),
    onReply: (reply, sent) => {
      if (hasImage(sent) && reply.status === 200) confirmed.add(tokenOf(sent) ?? '');
      return reply;
    },
  };
}

/** Loses one of two concurrent changes, because each also writes the old values of the other fields. */
function losesUpdates(): Fault {
  const { note, of } = rememberAgents();
  const { begin, end } = countInProgress();
  return {
    onRequest: (sent) => {
      if (!isChange(sent) || !begin(tokenOf(sent) ?? '')) return sent;
      const before = Object.entries(of(sent) ?? {}).filter(([name]) => editable.includes(name));
      return withJson(sent, (body) => ({ ...Object.fromEntries(before), ...body }));
    },
    onReply: (reply, sent) => {
      if (isChange(sent)) end(tokenOf(sent) ?? '');
      note(reply, sent);
      return reply;
    },
  };
}

function losesClosed(): Fault {
  const closed = new Set<string>();
  return {
    onReply: (reply, sent) => {
      const token = tokenOf(sent) ?? '';
      const isPublic = parseJsonObject(sent.body)?.['profile_public'];
      if (isChange(sent) && reply.status === 200 && isPublic === false) closed.add(token);
      if (isChange(sent) && isPublic === true) closed.delete(token);
      return isAbout(sent, 'GET /api/v1/bots/me') && closed.has(token) ? refusal(404, 'not_found') : reply;
    },
  };
}

export default parseCatalogueTable(table, {
  faults: {
    rightsWhileClosed,
    remembersRights,
    losesUpdates,
    losesClosed,
  },
  builds: {
    losesAvatar: runSqlAroundRequests('PATCH /api/v1/bots/me', {
      after: ({ body, callerId }, _, status) =>
        status === 404 && body['avatar_attachment_id'] !== undefined
          ? `update bots set avatar_id = null where id = ${callerId}`
          : undefined,
    }),
  },
});
