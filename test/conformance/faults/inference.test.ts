import { loadProofs } from '../loadProofs.ts';
import { inferenceFaults } from './inferenceFaults.ts';
import { noticeFaults } from './noticeFaults.ts';

await loadProofs();

noticeFaults('inference', inferenceFaults);
