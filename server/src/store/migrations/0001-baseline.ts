import { Migration } from '@mikro-orm/migrations';
import { agentSchema } from './agent-schema.ts';
import { fileSchema } from './file-schema.ts';
import { tradeSchema } from './trade-schema.ts';

/** The whole schema. Until the first release a change of the schema edits these files. */
export class Migration0001Baseline extends Migration {
  override up(): void {
    for (const statement of [...agentSchema, ...fileSchema, ...tradeSchema]) this.addSql(statement);
  }
}
