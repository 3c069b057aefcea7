import { cloudTasksRequirements } from './requirements/cloudTasks.ts';
import { encryptedChannelRequirements } from './requirements/encryptedChannel.ts';
import { inferenceRequirements } from './requirements/inference.ts';
import { cloudTasksProse } from './requirements/prose/cloudTasks.ts';
import { encryptedChannelProse } from './requirements/prose/encryptedChannel.ts';
import { inferenceProse } from './requirements/prose/inference.ts';
import { type ProseSection, proseRequirements } from './requirements/prose/sentence.ts';
import { unspecifiedProse } from './requirements/prose/unspecified.ts';
import type { Requirement } from './requirements/section.ts';
import { unspecifiedRequirements } from './requirements/unspecified.ts';

/** Every sentence of the contract that stands outside its tables, rules and lists. */
export const prose: readonly ProseSection[] = [
	...inferenceProse,
	...encryptedChannelProse,
	...cloudTasksProse,
	...unspecifiedProse,
];

/** Every requirement of the contract: each table row, numbered rule and list item, and what its sentences demand. */
export const requirements: readonly Requirement[] = [
	...inferenceRequirements,
	...encryptedChannelRequirements,
	...cloudTasksRequirements,
	...unspecifiedRequirements,
	...prose.flatMap(proseRequirements),
];
