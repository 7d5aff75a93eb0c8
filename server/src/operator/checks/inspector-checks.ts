import { inspectorLimits } from '../../inspection/inspector-command.ts';
import { sharedCompileCache, startAndStopInspector } from '../../inspection/inspectors.ts';
import { chooseIsolation } from '../../inspection/isolation.ts';
import { Launcher } from '../../inspection/launcher.ts';
import { errorMessageOf } from '../../platform/error-facts.ts';
import type { Settings } from '../../platform/settings/settings.ts';
import { type DoctorCheck, makeFailedCheck, makePassedCheck, makeWarningCheck } from './check.ts';

const name = 'file checks';

/** Starts an inspector, as an upload does, and reports how it is isolated. */
export async function checkInspector({ uploadIsolation }: Settings): Promise<DoctorCheck> {
  const launcher = new Launcher();
  try {
    const isolation = chooseIsolation(uploadIsolation);
    await startAndStopInspector({ limits: inspectorLimits, isolation, compileCache: sharedCompileCache, launcher });
    const { kind, reason } = isolation;
    if (kind === 'namespaces')
      return makePassedCheck(name, 'Isolated by namespaces: no access to other files, processes or the network.');
    if (kind === 'landlock')
      return makePassedCheck(
        name,
        `Isolated by Landlock: no access to other files; the network is accessible (${reason}).`,
      );
    return makeWarningCheck(name, `Not isolated from this user's files and processes (${reason}).`, isolationHint);
  } catch (error) {
    return makeFailedCheck(
      name,
      `No file can be checked: ${errorMessageOf(error)}`,
      'Uploads return 503 until this works.',
    );
  } finally {
    await launcher.close();
  }
}

const isolationHint =
  'On Linux, permit unprivileged user namespaces or install util-linux 2.41 or later; see "File checks" in docs/operating.md.';
