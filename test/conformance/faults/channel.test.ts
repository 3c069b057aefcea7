import { loadProofs } from '../loadProofs.ts';
import { channelFaults } from './channelFaults.ts';
import { noticeFaults } from './noticeFaults.ts';

await loadProofs();

noticeFaults('the encrypted channel', channelFaults);
