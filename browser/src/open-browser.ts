import { type Browser, chromium } from 'playwright';
import { findChromium } from './chromium/find-chromium.ts';

/** The caller must close the browser. */
export async function openBrowser(): Promise<Browser> {
  const { executablePath, env } = await findChromium();
  return chromium.launch({ executablePath, env: { ...process.env, ...env } });
}
