import { permissionFaults } from './access.ts';
import { bodyFaults } from './bodies.ts';
import { edgeFaults } from './edges.ts';
import { eventFaults } from './events.ts';
import type { GeneratedFault } from './generated.ts';
import { lifetimeFaults } from './lifetimes.ts';
import { pagingFaults } from './lists.ts';
import { queryFaults } from './queries.ts';
import { refusalFaults } from './refusals.ts';
import { repetitionFaults } from './repeats.ts';
import { replyMemberFaults } from './reply-members.ts';
import { uploadFaults } from './uploads.ts';

export const generatedFaults: readonly GeneratedFault[] = [
  ...permissionFaults,
  ...bodyFaults,
  ...queryFaults,
  ...repetitionFaults,
  ...lifetimeFaults,
  ...pagingFaults,
  ...eventFaults,
  ...refusalFaults,
  ...edgeFaults,
  ...replyMemberFaults,
  ...uploadFaults,
];
