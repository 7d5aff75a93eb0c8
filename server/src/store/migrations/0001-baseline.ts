import { Migration } from '@mikro-orm/migrations';
import { agentSchema } from './baseline-agents-and-contacts.ts';
import { tradeSchema } from './baseline-orders-and-messages.ts';
import { fileSchema } from './baseline-posts-and-files.ts';

/** The complete schema. Until the first release, schema changes are made in these files. */
export class Migration0001Baseline extends Migration {
  override up(): void {
    for (const statement of [...agentSchema, ...fileSchema, ...tradeSchema]) this.addSql(statement);
  }
}
