// An A2A server built with the A2A SDK, based on its database example: tasks in PostgreSQL, HTTP and JSON, no
// authentication. The agent finishes each task immediately, so each message stores one task.
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { TaskState } from '@a2a-js/sdk';
import { AgentEvent, DefaultRequestHandler } from '@a2a-js/sdk/server';
import { DatabaseTaskStore } from '@a2a-js/sdk/server/database';
import { restHandler, UserBuilder } from '@a2a-js/sdk/server/express';
import express from 'express';
import { Kysely, PostgresDialect } from 'kysely';
import { Pool } from 'pg';

const { DATABASE_URL = '', PORT = '0' } = process.env;
const migrations = fileURLToPath(new URL('./node_modules/@a2a-js/sdk/dist/cli/a2a_db.js', import.meta.url));
execFileSync(process.execPath, [migrations, 'upgrade', '--url', DATABASE_URL]);

const database = new Kysely({
  dialect: new PostgresDialect({ pool: new Pool({ connectionString: DATABASE_URL, max: 10 }) }),
});
const agent = {
  cancelTask: async () => undefined,
  execute: async ({ taskId, contextId, userMessage }, bus) => {
    const status = { state: TaskState.TASK_STATE_COMPLETED, timestamp: new Date().toISOString(), message: undefined };
    bus.publish(
      AgentEvent.task({ id: taskId, contextId, status, artifacts: [], history: [userMessage], metadata: {} }),
    );
    bus.finished?.();
  },
};
const card = {
  name: 'measured',
  description: 'measured',
  supportedInterfaces: [{ url: 'http://localhost/', protocolBinding: 'HTTP+JSON', tenant: '', protocolVersion: '1.0' }],
  version: '1.0.0',
  capabilities: { streaming: false, pushNotifications: false, extensions: [], extendedAgentCard: false },
  securitySchemes: {},
  securityRequirements: [],
  defaultInputModes: ['text'],
  defaultOutputModes: ['text'],
  skills: [],
  documentationUrl: '',
  signatures: [],
};

const requestHandler = new DefaultRequestHandler(card, new DatabaseTaskStore(database), agent);
const app = express();
app.use(restHandler({ requestHandler, userBuilder: UserBuilder.noAuthentication }));
const server = app.listen(Number(PORT), '127.0.0.1', () => {
  process.stdout.write(`${JSON.stringify({ msg: 'ready', url: `http://127.0.0.1:${server.address().port}` })}\n`);
});
