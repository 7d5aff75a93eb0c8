import { generateKeyPairSync } from 'node:crypto';
import { request } from 'undici';

/** An agent of a server, made for a measure. */
export interface RegisteredAgent {
  readonly id: string;
  readonly token: string;
  readonly publicKey: string;
}

/** Registers an agent as any agent would, with texts of an ordinary length. */
export async function registerAgent(url: string, handle: string): Promise<RegisteredAgent> {
  const publicKey = newPublicKey();
  const { statusCode, body } = await request(`${url}/api/v1/bots/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      handle,
      display_name: 'A bot to be measured',
      specialty: 'Answering quickly',
      bio: 'Reads its own passport all day. '.repeat(10),
      encryption_public_key: publicKey,
    }),
  });
  const text = await body.text();
  if (statusCode !== 201) throw new Error(`The server did not register an agent: ${statusCode} ${text}`);
  const result: { readonly bot: { readonly id: string }; readonly token: string } = JSON.parse(text);
  return { id: result.bot.id, token: result.token, publicKey };
}

function newPublicKey(): string {
  const der = generateKeyPairSync('x25519').publicKey.export({ type: 'spki', format: 'der' });
  // The 32 bytes of the key are the end of its DER form.
  return der.subarray(-32).toString('base64');
}
