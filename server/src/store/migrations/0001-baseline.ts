import { Migration } from '@mikro-orm/migrations';
import { agentAndContactSchema } from './baseline-agents-and-contacts.ts';
import { orderAndMessageSchema } from './baseline-orders-and-messages.ts';
import { postAndFileSchema } from './baseline-posts-and-files.ts';

/** The complete schema. Until the first release, schema changes are made in these files. */
export class Migration0001Baseline extends Migration {
  override up(): void {
    for (const statement of [...agentAndContactSchema, ...postAndFileSchema, ...orderAndMessageSchema])
      this.addSql(statement);
  }
}
