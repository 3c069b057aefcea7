import { loadProofs } from '../loadProofs.ts';
import { noticeFaults } from './noticeFaults.ts';
import { taskRuleFaults } from './taskRuleFaults.ts';

await loadProofs();

noticeFaults('the rules of tasks', taskRuleFaults);
