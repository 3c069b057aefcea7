import { firstLine } from '../../base/plainText.ts';

const MAXIMUM_SUBJECT_LENGTH = 72;
const MAXIMUM_SLUG_LENGTH = 40;
/** The number of names that one entry of a log lists. */
const MAXIMUM_NAMES = 20;
/** The maximum length of each name in UTF-16 code units. */
const MAXIMUM_NAME = 300;

/** Returns the first line of a prompt that is not blank, as the subject of a commit. */
export function commitSubject(prompt: string): string {
	return firstLine(prompt, MAXIMUM_SUBJECT_LENGTH) || 'Errand task';
}

/**
 * Returns the name of an execution's new branch. A follow-up creates one only if its task's branch cannot be moved, and
 * a further attempt at a turn never takes the name of an earlier one, which may have made its branch.
 */
export function newBranchOf(
	task: { prompt: string; id: string; multiLaunch: boolean; turn: number },
	{ position, branchName }: { position: number; branchName: string | null },
	attempt = 1,
): string {
	const name = branchNameOf(task, position);
	const ofTurn = branchName === null ? name : `${name}-${task.turn}`;
	return attempt === 1 ? ofTurn : `${ofTurn}-attempt-${attempt}`;
}

/**
 * Returns `errand/<words of the prompt>-<first 8 characters of the id>`, followed by the agent's number if there are
 * several. The name is ASCII, so that every tool handles it alike.
 */
export function branchNameOf(
	{ prompt, id, multiLaunch }: { prompt: string; id: string; multiLaunch: boolean },
	position: number,
): string {
	const slug = commitSubject(prompt)
		.normalize('NFKD')
		.toLowerCase()
		.replace(/[\u0300-\u036f]/g, '')
		.replace(/[^a-z\d]+/g, '-')
		.slice(0, MAXIMUM_SLUG_LENGTH)
		.replace(/^-+|-+$/g, '');
	return `errand/${slug || 'task'}-${id.slice(0, 8)}${multiLaunch ? `-${position + 1}` : ''}`;
}

/** Returns names as a list of limited length. */
export function listed(names: readonly string[]): string {
	const shown = names
		.slice(0, MAXIMUM_NAMES)
		.map(name => (name.length > MAXIMUM_NAME ? `${name.slice(0, MAXIMUM_NAME)}…` : name))
		.join(', ');
	return names.length > MAXIMUM_NAMES ? `${shown} and ${names.length - MAXIMUM_NAMES} more` : shown;
}
