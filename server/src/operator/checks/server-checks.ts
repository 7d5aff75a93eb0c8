import { lstatSync } from 'node:fs';
import { connect } from 'node:net';
import { describeError } from '../../platform/error-facts.ts';
import type { Settings } from '../../platform/settings/settings.ts';
import type { ServerFacts } from '../parts.ts';
import { operatorSocketPath } from '../socket-path.ts';
import { type DoctorCheck, makeFailedCheck, makePassedCheck, makeWarningCheck } from './check.ts';

const answerWithinMs = 5_000;

/** Checks a running server from outside, at its addresses. */
export async function checkRunningServer({ url, local_url, started_at }: ServerFacts): Promise<readonly DoctorCheck[]> {
  const checks = [
    makePassedCheck('socket', `The server responds; running since ${started_at}.`),
    await checkHealth('live', `${local_url}/health/live`, 'Restart the server and inspect its log.'),
    await checkHealth('ready', `${local_url}/health/ready`, 'A dependency does not respond; see the checks below.'),
  ];
  if (url === local_url) return checks;
  const hint =
    'Check the proxy, the DNS name and the certificate. Some networks cannot reach their own public address; check from another network.';
  return [...checks, await checkHealth('public address', `${url}/health/live`, hint, makeWarningCheck)];
}

async function checkHealth(name: string, url: string, hint: string, failed = makeFailedCheck): Promise<DoctorCheck> {
  try {
    const answer = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(answerWithinMs) });
    await answer.body?.cancel();
    return answer.status === 200
      ? makePassedCheck(name, `${url} responds.`)
      : failed(name, `${url} returns ${answer.status}.`, hint);
  } catch (error) {
    return failed(name, `${url} does not respond: ${describeError(error)}`, hint);
  }
}

/** These checks run only if no server uses this data folder. */
export async function checkStartConditions({ dataDir, host, port }: Settings): Promise<readonly DoctorCheck[]> {
  return [checkSocketFile(operatorSocketPath(dataDir)), await checkPort(host, port)];
}

function checkSocketFile(path: string): DoctorCheck {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return makePassedCheck('socket', 'No server runs on this data folder.');
  if (!found.isSocket())
    return makeFailedCheck(
      'socket',
      `${path} is not a socket.`,
      'Move it; it blocks the operator socket of the server.',
    );
  const text = 'No server runs on this data folder; a killed server left its socket file behind.';
  return makeWarningCheck('socket', text, 'No action needed: the next start replaces it.');
}

async function checkPort(host: string, port: number): Promise<DoctorCheck> {
  if (port === 0 || !(await isTaken(host, port))) return makePassedCheck('port', `${host}:${port} is free.`);
  const hint =
    'If that process is a server of this platform, its data folder differs from PLATFORM_DATA_DIR. Otherwise set PORT to a free port.';
  return makeWarningCheck('port', `Another process listens on ${host}:${port}.`, hint);
}

async function isTaken(host: string, port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect({ host, port, timeout: answerWithinMs });
  socket.once('connect', () => resolve(true));
  socket.once('error', () => resolve(false));
  socket.once('timeout', () => resolve(true));
  return await promise.finally(() => socket.destroy());
}
