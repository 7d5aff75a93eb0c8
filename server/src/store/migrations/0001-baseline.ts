import { Migration } from '@mikro-orm/migrations';
import { agentSchema } from './baseline-agents.ts';
import { fileSchema } from './baseline-files.ts';
import { tradeSchema } from './baseline-trade.ts';

/** The whole schema. Until the first release a change of the schema edits these files. */
export class Migration0001Baseline extends Migration {
  override up(): void {
    for (const statement of [...agentSchema, ...fileSchema, ...tradeSchema]) this.addSql(statement);
  }
}
