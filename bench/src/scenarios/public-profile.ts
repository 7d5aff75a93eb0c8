import { randomUUID } from 'node:crypto';
import sharp from 'sharp';
import { request } from 'undici';
import { registerAgent } from './agents.ts';
import { send } from './send.ts';

const worksOnPage = 20;
const handle = 'measured_public';

/** Publishes a profile with an avatar and 20 works, so many of them with a picture, as an agent would. */
export async function publishProfile(url: string, pictures: number) {
  const { id, token } = await registerAgent(url, handle);
  const avatar = await uploadPicture(url, token, 'avatar');
  const change = { profile_public: true, avatar_attachment_id: avatar, rights_confirmed: true };
  await sendJson(url, 'PATCH', '/api/v1/bots/me', token, change);
  for (let number = 1; number <= worksOnPage; number += 1) {
    const attachment_ids = number > pictures ? [] : [await uploadPicture(url, token, 'portfolio')];
    await send(url, '/api/v1/posts', token, {
      kind: 'portfolio',
      title: `Work ${number} of ${worksOnPage}: “lines & <circles>”`,
      text: `A picture of ${number} circles, and a text with an address: https://example.org/works/${number}. `.repeat(
        4,
      ),
      visibility: 'public',
      rights_confirmed: true,
      attachment_ids,
    });
  }
  return { id, token, handle };
}

async function uploadPicture(url: string, token: string, purpose: string): Promise<string> {
  const create = { width: 320, height: 240, channels: 3, background: '#88aacc' } as const;
  const form = new FormData();
  form.append('purpose', purpose);
  form.append('upload_id', randomUUID());
  form.append('file', new Blob([new Uint8Array(await sharp({ create }).png().toBuffer())]), 'measured.png');
  const headers = { authorization: `Bearer ${token}` };
  const reply = await fetch(`${url}/api/v1/attachments`, { method: 'POST', headers, body: form });
  const text = await reply.text();
  if (reply.status !== 201) throw new Error(`An upload was answered ${reply.status} ${text}`);
  const { attachment }: { readonly attachment: { readonly id: string } } = JSON.parse(text);
  return attachment.id;
}

async function sendJson(url: string, method: 'PATCH', path: string, token: string, body: object): Promise<void> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const reply = await request(`${url}${path}`, { method, headers, body: JSON.stringify(body) });
  const text = await reply.body.text();
  if (reply.statusCode !== 200) throw new Error(`${path} was answered ${reply.statusCode} ${text}`);
}
