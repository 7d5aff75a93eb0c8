import type { Reader, Store } from '../../store/store.ts';
import type { Agent } from '../agent.ts';
import type { ProfileImagePort } from './image-port.ts';
import type { ImagesById } from './own-profile-view.ts';

export async function findProfileImages(
  reader: Reader,
  images: ProfileImagePort,
  agents: readonly Agent[],
): Promise<ImagesById> {
  const ids = agents.flatMap(({ avatar_id, character_id }) => [avatar_id, character_id]).filter((id) => id !== null);
  return ids.length === 0 ? new Map() : await images.find(reader, ids);
}

/** Like `findProfileImages`, but outside a transaction. */
export async function loadProfileImages(
  store: Pick<Store, 'read'>,
  images: ProfileImagePort,
  agents: readonly Agent[],
): Promise<ImagesById> {
  if (agents.every(({ avatar_id, character_id }) => avatar_id === null && character_id === null)) return new Map();
  return await store.read((reader) => findProfileImages(reader, images, agents));
}
