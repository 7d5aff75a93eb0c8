import release from './release.json' with { type: 'json' };

export const isPublished: boolean = release.published;

// The command that starts each package in a checkout, and the other packages that its tarball requires.
const packages = {
  cli: { checkout: ['npm', 'run', '-s', 'agentp', '--'], needs: [] },
  conformance: { checkout: ['npm', 'run', '-s', 'conformance', '--'], needs: ['sdk', 'contract'] },
  // Contains the path of the checkout, because an MCP client starts this server in another folder.
  mcp: {
    checkout: ['npm', '--prefix', '/path/to/checkout', 'run', '-s', 'agentp', '--', 'mcp'],
    needs: ['sdk', 'contract'],
  },
  sdk: { checkout: [], needs: ['contract'] },
  server: { checkout: ['npm', 'start'], needs: ['contract'] },
};

export type PackageName = keyof typeof packages;

/** Returns commands that use the npm registry if `published`, otherwise a checkout and packed tarballs. */
export function makeInstallLines(name: PackageName, published: boolean, version?: string) {
  const { checkout, needs } = packages[name];
  const own = `@agent-platform/${name}${version === undefined ? '' : `@${version}`}`;
  // The dot is required, because npm interprets a path without it as a repository on GitHub.
  const tarballs = [name, ...needs].map((each) => `./packages/agent-platform-${each}-*.tgz`);
  const start = published ? ['npx', ...(name === 'mcp' ? ['-y'] : []), own] : checkout;
  return {
    start,
    run: start.join(' '),
    install: (place: string) =>
      published ? `npm install ${place} ${own}` : `npm run pack && npm install ${place} ${tarballs.join(' ')}`,
  };
}
