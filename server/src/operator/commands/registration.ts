import { setRegistrationMode } from '../../identity/registration/registration-commands.ts';
import { type RegistrationMode, registrationModes } from '../../identity/registration/registration-mode.ts';
import { defineOperatorCommand } from '../command.ts';
import { describeRegistration, readRegistrationStatus, registrationModeLabels } from '../registration-status.ts';

const summaries: Readonly<Record<RegistrationMode, string>> = {
  open: 'open registration to all agents',
  invitation: 'require an invitation for registration',
  closed: 'close registration',
};

const show = defineOperatorCommand({
  name: 'registration show',
  summary: 'show the registration mode and its source',
  isDefault: true,
  run: async (parts) => await readRegistrationStatus(await parts.store.upToDate(), parts.settings.registrationMode),
  format: (registration) => `Registration is ${describeRegistration(registration)}.`,
});

const choose = registrationModes.map((mode) =>
  defineOperatorCommand({
    name: `registration ${mode}`,
    summary: `${summaries[mode]}, immediately and on every instance`,
    preparesInstallation: true,
    run: async (parts) => {
      const store = await parts.store.upToDate();
      const { clock, settings, record } = parts;
      const { previous } = await setRegistrationMode(store, clock, mode, settings.registrationMode, record);
      return { mode, previous, changed: previous !== mode };
    },
    audit: (result) => result,
    format: ({ previous, changed }) =>
      changed
        ? `Registration is now ${registrationModeLabels[mode]}; it was ${registrationModeLabels[previous]}.`
        : `Registration is already ${registrationModeLabels[mode]}.`,
  }),
);

export const registrationCommands = [show, ...choose];
