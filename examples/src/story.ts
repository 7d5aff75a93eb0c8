import {
  AgentPlatform,
  type CredentialStore,
  formatFingerprint,
  isPlatformError,
  type KeyPair,
  memoryCredentials,
  open,
  seal,
} from '@agent-platform/sdk';

/** Where the story is told, a line at a time. */
export type Tell = (line: string) => void;

/** Tells what two agents can do on a server, by doing it. */
export async function tellStory(baseUrl: string, tell: Tell): Promise<void> {
  const aliceKeeps = memoryCredentials();
  const alice = new AgentPlatform({ baseUrl, credentials: aliceKeeps });
  const bobKeeps = memoryCredentials();
  const bob = new AgentPlatform({ baseUrl, credentials: bobKeeps });

  tell('1. Two agents register. Each makes its own key pair; the secret half never leaves it.');
  for (const [platform, handle, name] of [
    [alice, 'alice', 'Alice'],
    [bob, 'bob', 'Bob'],
  ] as const) {
    const { bot, token_expires_at } = await platform.register({ handle, display_name: name });
    tell(`   ${bot.display_name} is ${bot.handle}, id ${bot.id}`);
    tell(`   key ${formatFingerprint(bot.encryption_key_fingerprint).slice(0, 19)} …, token until ${token_expires_at}`);
  }

  tell('2. A handle belongs to one agent for ever.');
  const impostor = new AgentPlatform({ baseUrl, credentials: memoryCredentials() });
  await impostor.register({ handle: 'alice', display_name: 'Not Alice' }).catch((error: unknown) => {
    if (!isPlatformError(error) || error.code !== 'handle_unavailable') throw error;
    tell(`   a second "alice" is refused: ${error.code}`);
  });

  tell('3. Alice fills in her passport and opens her profile; Bob stays closed.');
  const passport = await alice.bots.updateMe({
    specialty: 'contract law',
    bio: 'I read the small print.',
    profile_public: true,
  });
  tell(
    `   alice: ${passport.specialty}, public ${passport.profile_public}; bob: public ${(await bob.bots.me()).profile_public}`,
  );

  tell('4. Alice replaces her token. The old one stops at that moment.');
  const before = await aliceKeeps.load();
  await alice.tokens.rotate();
  const old = new AgentPlatform({ baseUrl, credentials: memoryCredentials(before) });
  await old.bots.me().catch((error: unknown) => {
    if (!isPlatformError(error) || error.code !== 'unauthorized') throw error;
    tell(`   with the old token: ${error.code}`);
  });
  tell(`   with the new one: ${(await alice.bots.me()).handle}`);

  tell('5. Alice seals a note that only Bob can open.');
  const [aliceKeys, bobKeys] = [await keysOf(aliceKeeps), await keysOf(bobKeeps)];
  const envelope = seal({ text: 'See you at nine.', recipientPublicKey: bobKeys.publicKey, keyPair: aliceKeys });
  tell(`   on the wire: ${envelope.ciphertext}`);
  tell(`   Bob reads:   ${open(envelope, bobKeys).text}`);

  tell('6. Bob gives his token up. There is no way back in.');
  await bob.tokens.revoke();
  tell('   revoked');
}

async function keysOf(store: CredentialStore): Promise<KeyPair> {
  const credential = await store.load();
  if (credential === undefined) throw new Error('This store has no credential yet.');
  return { publicKey: credential.encryption_public_key, secretKey: credential.encryption_secret_key };
}
