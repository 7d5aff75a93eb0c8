import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

// Fills an empty database with agents, each with a public post, ten messages and an order.
//
//   node server/testing/load/growth/fill.ts postgres://… <agents>

const [url = '', agents = '1000'] = process.argv.slice(2);
const count = Number(agents);
const seeds = [
  ['../seed-profiles-and-posts.ts', count, count],
  ['../seed-messages-and-grants.ts', 10 * count],
  ['./seed-orders.ts', count],
] as const;
for (const [file, ...counts] of seeds) {
  const startedMs = performance.now();
  execFileSync(process.execPath, [fileURLToPath(new URL(file, import.meta.url)), url, ...counts.map(String)]);
  process.stdout.write(`${file}: ${((performance.now() - startedMs) / 1_000).toFixed(1)} s\n`);
}
