import { ConcurrentIndexMigration } from '../concurrent-index.ts';

/** The agents whose posts no list shows, for deep pages of posts. */
export class Migration0022UnlistedAgents extends ConcurrentIndexMigration {
  override up(): void {
    this.addIndex('bots_unlisted_index', 'bots (id) where not (profile_public and suspended_at is null)');
  }
}
