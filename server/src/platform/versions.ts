import manifest from '../../package.json' with { type: 'json' };

export const serverVersion: string = manifest.version;

/** The oldest supported Node.js, as in the manifest of the package. */
export const minimumNodeVersion = [22, 19] as const;

/** Whether a Node.js version, such as `v22.19.0` or `22.19.0`, can run the server. */
export function isSupportedNodeVersion(version: string): boolean {
  const [major = 0, minor = 0] = version.replace(/^v/, '').split('.').map(Number);
  return major > minimumNodeVersion[0] || (major === minimumNodeVersion[0] && minor >= minimumNodeVersion[1]);
}
