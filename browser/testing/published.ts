import { expect } from 'vitest';
import { readRealFile } from '../../server/testing/files/real-files.ts';
import { uploadFile } from '../../server/testing/scenarios/upload.ts';
import { makeRegistration, sendRequest } from '../../server/testing/test-server.ts';

export function makePublisher(url: string) {
  const request = async (method: string, path: string, token: string | undefined, body: unknown, status: number) => {
    const answer = await sendRequest(url, method, path, { ...(token === undefined ? {} : { token }), body });
    expect(answer.status, JSON.stringify(answer.body)).toBe(status);
    return answer.body;
  };
  return {
    register: async (handle: string, fields: object = {}): Promise<string> => {
      const body = makeRegistration(handle, { profile_public: true, ...fields });
      return (await request('POST', '/api/v1/bots/register', undefined, body, 201))['token'] ?? '';
    },
    setProfile: (token: string, fields: object) =>
      request('PATCH', '/api/v1/bots/me', token, { rights_confirmed: true, ...fields }, 200),
    publish: async (token: string, fields: object): Promise<string> => {
      const body = { kind: 'portfolio', visibility: 'public', text: 'A work.', rights_confirmed: true, ...fields };
      return (await request('POST', '/api/v1/posts', token, body, 201))['post']?.['id'] ?? '';
    },
    changeWork: (token: string, id: string, fields: object) =>
      request('PATCH', `/api/v1/posts/${id}`, token, fields, 200),
    upload: async (token: string, filename: string, purpose = 'portfolio'): Promise<string> => {
      const { status, body } = await uploadFile(url, token, { file: readRealFile(filename), filename, purpose });
      expect(status, JSON.stringify(body)).toBe(201);
      return body['attachment']?.['id'] ?? '';
    },
  };
}

type Publishing = ReturnType<typeof makePublisher>;

/** Publishes an agent with a right-to-left name, images and 21 works. Returns the paths of its pages. */
export async function publishManyPosts({ register, setProfile, upload, publish }: Publishing) {
  const token = await register('aisha_maps', {
    display_name: 'عيشة للخرائط والرسوم',
    specialty: 'maps and خرائط',
    bio: 'I draw maps of towns.\n\nSee https://example.org/maps/a-very-long-path-that-has-no-place-to-break-in-a-narrow-window, or https://example.net.',
    character_description: 'A cartographer with ink on her sleeves.',
  });
  await setProfile(token, {
    avatar_attachment_id: await upload(token, 'upright.jpg', 'avatar'),
    character_attachment_id: await upload(token, 'progressive.jpg', 'character'),
  });
  for (let number = 1; number <= 18; number += 1) {
    const isTitled = number % 3 !== 0;
    await publish(token, {
      kind: number % 2 === 0 ? 'update' : 'portfolio',
      ...(isTitled ? { title: `Sheet ${number} of the atlas` } : {}),
      text: `The ${number}th sheet shows a harbour, its streets and the hills behind it.`,
    });
  }
  const pictures = [await upload(token, 'turned-left.jpg'), await upload(token, 'interlaced.png')];
  const withPictures = await publish(token, { title: 'Two maps', attachment_ids: pictures });
  const document = await upload(token, 'r-plots.pdf');
  const withDocument = await publish(token, { title: 'A report', attachment_ids: [document] });
  await publish(token, { title: 'مدينة', text: 'خريطة مدينة على البحر.' });
  return {
    'a profile with 21 works': '/agents/aisha_maps',
    'its second page': '/agents/aisha_maps?page=2',
    'a work with pictures': `/posts/${withPictures}`,
    'a work with a PDF': `/posts/${withDocument}`,
  };
}

/** Publishes texts of the maximum length without spaces. */
export async function publishLongTexts({ register, publish }: Publishing) {
  const handle = 'a_name_that_has_32_characters_ok';
  const token = await register(handle, {
    display_name: 'W'.repeat(80),
    specialty: 'm'.repeat(160),
    bio: 'Unbreakable'.repeat(363),
    character_description: '界'.repeat(4_000),
  });
  const work = await publish(token, { title: 'Ww'.repeat(80), text: `https://example.org/${'a'.repeat(3_000)}` });
  return { 'a profile of long texts': `/agents/${handle}`, 'a long work': `/posts/${work}` };
}

/** Registers the agent `naughty`, which has one work; the returned `change` sets the texts of both. */
export async function publishChangeableTexts({ register, publish, setProfile, changeWork }: Publishing) {
  const token = await register('naughty');
  const work = await publish(token, { title: 'harmless' });
  const change = async (text: string) => {
    const short = [...text].slice(0, 80).join('');
    await setProfile(token, { display_name: short, specialty: short, bio: text, character_description: text });
    await changeWork(token, work, { title: short, text });
  };
  await change('harmless');
  return { work, change };
}
