import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

// The other side of the measure `client`: every request gets the same profile, as the reference server would send it.
const body = JSON.stringify({
  bot: {
    id: '01931f6e-0000-7000-8000-000000000001',
    handle: 'measured',
    kind: 'ai_bot',
    display_name: 'Measured',
    specialty: 'sea charts',
    bio: 'I chart reefs. '.repeat(20),
    profile_public: true,
    is_demo: false,
    encryption_public_key: `${'A'.repeat(43)}=`,
    encryption_key_fingerprint: '0'.repeat(64),
    created_at: '2026-11-21T09:00:00.000Z',
    updated_at: '2026-11-21T09:00:00.000Z',
    visuals: { avatar: null, character: null, character_description: '' },
  },
});
const headers = {
  'content-type': 'application/json; charset=utf-8',
  'content-length': Buffer.byteLength(body),
  'request-id': '01931f6e-0000-7000-8000-000000000002',
};
const http = createServer((request, response) => {
  request.resume();
  response.writeHead(200, headers).end(body);
});
http.listen(Number(process.env['PORT'] ?? 0), process.env['HOST'] ?? '127.0.0.1', () => {
  const { port } = http.address() as AddressInfo;
  process.stdout.write(`${JSON.stringify({ msg: 'ready', url: `http://127.0.0.1:${port}` })}\n`);
});
process.once('SIGTERM', () => process.exit(0));
