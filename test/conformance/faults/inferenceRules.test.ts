import { loadProofs } from '../loadProofs.ts';
import { inferenceRuleFaults } from './inferenceRuleFaults.ts';
import { noticeFaults } from './noticeFaults.ts';

await loadProofs();

noticeFaults('the rules of inference', inferenceRuleFaults);
