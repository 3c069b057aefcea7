import { cloudTasksRequirements } from './requirements/cloudTasks.ts';
import { encryptedChannelRequirements } from './requirements/encryptedChannel.ts';
import { inferenceRequirements } from './requirements/inference.ts';
import type { Requirement } from './requirements/section.ts';
import { unspecifiedRequirements } from './requirements/unspecified.ts';

/** Every requirement of the contract. Each is a table row, a numbered rule or a list item. */
export const requirements: readonly Requirement[] = [
	...inferenceRequirements,
	...encryptedChannelRequirements,
	...cloudTasksRequirements,
	...unspecifiedRequirements,
];
