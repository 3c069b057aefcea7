import { loadProofs } from '../loadProofs.ts';
import { noticeFaults } from './noticeFaults.ts';
import { taskFaults } from './taskFaults.ts';

await loadProofs();

noticeFaults('tasks', taskFaults);
