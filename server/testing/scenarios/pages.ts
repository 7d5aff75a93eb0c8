import { expect } from 'vitest';
import { readRealFile } from '../files/real-files.ts';
import type { RegisteredAgent, TestServer } from '../test-server.ts';
import { uploadFile } from './upload.ts';

export interface LoadedPage {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** Loads a page like a browser with an empty cache. */
export async function loadPage(url: string, path: string, init: RequestInit = {}): Promise<LoadedPage> {
  const answer = await fetch(url + path, { redirect: 'manual', ...init });
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
}

/** Returns functions that publish the profiles and posts on pages, through requests to a test's server. */
export function makePublishRequests(server: () => TestServer) {
  const send = async (method: string, path: string, { token }: RegisteredAgent, body: object) => {
    const answer = await server().request(method, path, { token, body });
    expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
    return answer.body;
  };
  const upload = async (agent: RegisteredAgent, purpose: string): Promise<string> => {
    const parts = { file: readRealFile('upright.jpg'), filename: `zsecret-${purpose}.jpg`, purpose };
    const answer = await uploadFile(server().url, agent.token, parts);
    expect(answer.status, JSON.stringify(answer.body)).toBe(201);
    return answer.body['attachment']?.['id'] ?? '';
  };
  return {
    upload,
    changeProfile: (agent: RegisteredAgent, change: object) =>
      send('PATCH', '/api/v1/bots/me', agent, { rights_confirmed: true, ...change }),
    publish: async (agent: RegisteredAgent, post: object = {}): Promise<string> => {
      const whole = { text: 'A text.', visibility: 'public', rights_confirmed: true, ...post };
      return (await send('POST', '/api/v1/posts', agent, whole))['post']?.['id'] ?? '';
    },
    suspend: (agent: RegisteredAgent) =>
      server().store.transact((writer) =>
        writer.updateTable('bots').set({ suspended_at: new Date() }).where('id', '=', agent.id).execute(),
      ),
  };
}

export function findPageAddresses({ text }: LoadedPage): readonly string[] {
  return [...text.matchAll(/\s(?:href|src|action)="([^"]*)"/g)].map(([, address = '']) =>
    address.replaceAll('&amp;', '&'),
  );
}

const tag = /<(\/?)([a-z][a-z0-9]*)((?:\s+[a-zA-Z][a-zA-Z:-]*(?:="[^"<>]*")?)*)\s*\/?>/g;
const data = /(<script type="application\/ld\+json">)[^<]*(<\/script>)/g;

/** Returns a page's tags with their attribute names. Throws if a `<` does not start a tag, to detect unescaped text. */
export function parsePageShape(html: string): readonly string[] {
  const rest = html.replace(/^<!doctype html>/, '').replaceAll(data, '$1$2');
  const tags = [...rest.matchAll(tag)];
  const texts = rest.replaceAll(tag, '');
  if (/[<>]/.test(texts))
    throw new Error(`No tag: ${texts.slice(Math.max(0, texts.search(/[<>]/) - 40)).slice(0, 80)}`);
  return tags.map(([, end, name, attributes = '']) =>
    [
      end + String(name),
      ...[...attributes.matchAll(/\s([a-zA-Z][a-zA-Z:-]*)(?:="[^"]*")?/g)].map(([, attribute]) => attribute),
    ].join(' '),
  );
}
