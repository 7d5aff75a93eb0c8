import { makePreview } from '../scenarios/make-preview.ts';

// Makes the preview of a file and exits: the floor of an upload by another agent, because files of different agents
// are checked in different processes.
await makePreview(process.argv[2] ?? '');
process.exit();
