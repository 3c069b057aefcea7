import type { NewFiles } from '../../agents/steps/newFiles.ts';
import { listed } from './taskNames.ts';

/** Returns a sentence that says how many new files there are, and suggests what git should ignore. */
export function newFilesText({ count, folder, inFolder }: NewFiles): string {
	const [most, what] =
		folder === '' ? ['', 'what need not be kept'] : [`, ${inFolder} of them in ${listed([folder])}`, 'that folder'];
	return `The agent made ${count} new files${most}. If they do not belong to the branch, ask it to name ${what} in .gitignore.`;
}
