import type { NewFiles } from '../../agents/steps/newFiles.ts';
import { UserFacingError } from '../../base/errors.ts';
import { listed } from './taskNames.ts';

/** Returns a sentence that says how many new files there are, and suggests what git should ignore. */
export function newFilesText({ count, folder, inFolder }: NewFiles): string {
	const [most, what] =
		folder === '' ? ['', 'what need not be kept'] : [`, ${inFolder} of them in ${listed([folder])}`, 'that folder'];
	return `The agent made ${count} new files${most}. If they do not belong to the branch, ask it to name ${what} in .gitignore.`;
}

/** Returns the error for names that git cannot list. A name that ends with a slash is a folder. */
export function tooManyFiles(names: readonly string[]): UserFacingError {
	const folders = names.filter(name => name.endsWith('/'));
	return new UserFacingError(
		`The agent made so many new files that their names are more than 64 MB, which is too much for a commit: ${listed(folders)}. Ask it to name in .gitignore what need not be kept.`,
	);
}
