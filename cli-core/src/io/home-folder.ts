import { homedir, userInfo } from 'node:os';

/** Finds the home folder of the user. An empty HOME counts as unset; Node.js would return it. */
export function findHomeFolder(): string {
  return homedir() || userInfo().homedir;
}
