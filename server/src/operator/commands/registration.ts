import { chooseRegistrationMode } from '../../identity/registration/registration-commands.ts';
import { type RegistrationMode, registrationModes } from '../../identity/registration/registration-mode.ts';
import { operatorCommand } from '../command.ts';
import { describeRegistration, modeLabels, readRegistration } from '../registration-status.ts';

const summaries: Readonly<Record<RegistrationMode, string>> = {
  open: 'open registration to all agents',
  invitation: 'require an invitation for registration',
  closed: 'close registration',
};

const show = operatorCommand({
  name: 'registration show',
  summary: 'show the registration mode and its source',
  isDefault: true,
  run: async (parts) => await readRegistration(await parts.store.upToDate(), parts.settings.registrationMode),
  format: (registration) => `Registration is ${describeRegistration(registration)}.`,
});

const choose = registrationModes.map((mode) =>
  operatorCommand({
    name: `registration ${mode}`,
    summary: `${summaries[mode]}, immediately and on every instance`,
    preparesInstallation: true,
    run: async (parts) => {
      const store = await parts.store.upToDate();
      const { clock, settings, record } = parts;
      const { previous } = await chooseRegistrationMode(store, clock, mode, settings.registrationMode, record);
      return { mode, previous, changed: previous !== mode };
    },
    audit: (result) => result,
    format: ({ previous, changed }) =>
      changed
        ? `Registration is now ${modeLabels[mode]}; it was ${modeLabels[previous]}.`
        : `Registration is already ${modeLabels[mode]}.`,
  }),
);

/** The commands for the registration mode. */
export const registrationCommands = [show, ...choose];
