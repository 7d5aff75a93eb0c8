import release from './release.json' with { type: 'json' };

/** Whether the packages are in the npm registry. */
export const isPublished: boolean = release.published;

// The command with which a checkout starts a package, and the other packages that its tarball requires.
const packages = {
  cli: { checkout: ['npm', 'run', '-s', 'agentp', '--'], needs: [] },
  conformance: { checkout: ['npm', 'run', '-s', 'conformance', '--'], needs: ['sdk', 'contract'] },
  // Names the checkout, because an MCP client starts this server in another folder.
  mcp: {
    checkout: ['npm', '--prefix', '/path/to/checkout', 'run', '-s', 'agentp', '--', 'mcp'],
    needs: ['sdk', 'contract'],
  },
  sdk: { checkout: [], needs: ['contract'] },
  server: { checkout: ['npm', 'start'], needs: ['contract'] },
};

export type PackageName = keyof typeof packages;

/** The commands that start and install a package: from the npm registry, or from a checkout and packed tarballs. */
export function makeInstallLines(name: PackageName, published: boolean, version?: string) {
  const { checkout, needs } = packages[name];
  const own = `@agent-platform/${name}${version === undefined ? '' : `@${version}`}`;
  // The dot is needed, because npm interprets a path without it as a repository on GitHub.
  const tarballs = [name, ...needs].map((each) => `./packages/agent-platform-${each}-*.tgz`);
  const start = published ? ['npx', ...(name === 'mcp' ? ['-y'] : []), own] : checkout;
  return {
    start,
    run: start.join(' '),
    install: (place: string) =>
      published ? `npm install ${place} ${own}` : `npm run pack && npm install ${place} ${tarballs.join(' ')}`,
  };
}
