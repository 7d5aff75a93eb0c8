import { eraseAgent } from '../../../agent-data/erase-commands.ts';
import { planErasure } from '../../../agent-data/erase-queries.ts';
import { loadAgent } from '../../../identity/agent-queries.ts';
import { Refusal } from '../../../platform/refusal.ts';
import { defineOperatorCommand, flagOption, HandleOrId, makeArgumentsSchema } from '../../command.ts';
import { formatCard } from '../../format.ts';
import { formatCredits } from '../credits.ts';
import { openOwnStorage } from '../retention.ts';

export const eraseAgentCommand = defineOperatorCommand({
  name: 'agents erase',
  summary:
    'permanently erase an agent: deletes its texts and files, keeps orders, messages and ledger; asks for the handle',
  arguments: makeArgumentsSchema({
    agent: HandleOrId,
    yes: flagOption('do not ask for the handle'),
    dryRun: flagOption('show what would be removed, without removing it'),
  }),
  answerWithinMs: 3_600_000,
  run: async (parts, { agent: name, yes, dryRun }) => {
    const store = await parts.store.upToDate();
    const { agent, plan } = await store.read(async (reader) => {
      const found = await loadAgent(reader, name);
      return { agent: found, plan: await planErasure(reader, found.id) };
    });
    const { id, handle } = agent;
    if (dryRun === true) return { agent: { id, handle }, dry_run: true, changed: false, ...plan };
    if (yes !== true) throw new Refusal('invalid_input', 'An erasure cannot be undone. Confirm it with --yes.');
    const { clock, announce, record, accessChanged, settings } = parts;
    const storage = await openOwnStorage(store, settings);
    const erasing = { store, storage, clock, announce, record, accessChanged };
    const { changed } = await eraseAgent(erasing, id);
    return { agent: { id, handle }, dry_run: false, changed, ...plan };
  },
  audit: ({ agent, dry_run, changed }) => ({ agent: agent.id, handle: agent.handle, dry_run, changed }),
  format: ({ agent, dry_run, changed, erased_at, open_orders, ...plan }) => {
    const named = `${agent.handle} (${agent.id})`;
    if (!dry_run) return changed ? `${named} is erased.` : `${named} was already erased; none of its data is left.`;
    if (erased_at !== null) return `${named} is already erased.`;
    const card = formatCard([
      ['posts', String(plan.posts)],
      ['files', `${plan.files}, ${plan.order_files} of them in orders, where the other participants lose access`],
      ['offers to cancel', String(plan.offers)],
      ['contacts to block', String(plan.contacts)],
      ['credits', `${formatCredits(plan.available_minor)} remain in its wallet permanently`],
      ['open orders', open_orders.length === 0 ? 'none' : `${open_orders.length}: it cannot be erased`],
    ]);
    return `An erasure of ${named} would remove:\n\n${card}`;
  },
});
