// A Personal Data Server of the AT Protocol with an in-memory identity directory. The directory does not affect the
// measurement, because it is only queried when an account is created.
import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { envToCfg, envToSecrets, PDS } from '@atproto/pds';
import { formatDidDoc, opToData } from '@did-plc/lib';

const operations = new Map();
const directory = createServer(async (request, response) => {
  const did = decodeURIComponent(request.url.slice(1).split('/')[0]);
  if (request.method === 'POST') operations.set(did, await json(request));
  const operation = operations.get(did);
  response.setHeader('content-type', 'application/json');
  if (operation === undefined) response.writeHead(404).end('{}');
  else response.end(JSON.stringify(formatDidDoc(opToData(did, operation))));
});
await new Promise((resolve) => directory.listen(0, '127.0.0.1', resolve));

const folder = `${process.env.PLATFORM_DATA_DIR}/pds`;
mkdirSync(`${folder}/blobs`, { recursive: true });
const environment = {
  port: Number(process.env.PORT),
  hostname: 'localhost',
  devMode: true,
  inviteRequired: false,
  disableSsrfProtection: true,
  dataDirectory: folder,
  blobstoreDiskLocation: `${folder}/blobs`,
  didPlcUrl: `http://127.0.0.1:${directory.address().port}`,
  serviceHandleDomains: ['.test'],
  rateLimitsEnabled: false,
  jwtSecret: randomBytes(16).toString('hex'),
  adminPassword: randomBytes(16).toString('hex'),
  plcRotationKeyK256PrivateKeyHex: randomBytes(32).toString('hex'),
};
const pds = await PDS.create(envToCfg(environment), envToSecrets(environment));
await pds.start();
process.stdout.write(`${JSON.stringify({ msg: 'ready', url: `http://127.0.0.1:${environment.port}` })}\n`);
process.once('SIGTERM', () => process.exit(0));
