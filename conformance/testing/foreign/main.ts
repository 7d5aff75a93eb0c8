// `node conformance/testing/foreign/main.ts BASE_URL` generates foreign traffic on any server until Ctrl-C.
import { once } from 'node:events';
import process from 'node:process';
import { startForeignTraffic } from './traffic.ts';

const traffic = await startForeignTraffic(process.argv[2] ?? 'http://127.0.0.1:8080', { asksStrangers: true });
process.stderr.write('Four agents publish, become friends, request contacts and make offers until Ctrl-C.\n');
await once(process, 'SIGINT');
process.stdout.write(`${JSON.stringify(await traffic.stop())}\n`);
