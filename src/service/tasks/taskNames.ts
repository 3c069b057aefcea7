import { firstLine } from '../../base/plainText.ts';

const MAXIMUM_SUBJECT_LENGTH = 72;
const MAXIMUM_SLUG_LENGTH = 40;

/** Returns the first line of a prompt that is not blank, as the subject of a commit. */
export function commitSubject(prompt: string): string {
	return firstLine(prompt, MAXIMUM_SUBJECT_LENGTH) || 'Errand task';
}

/** Returns the name of an execution's new branch. A follow-up creates one only if its task's cannot be moved. */
export function newBranchOf(
	task: { prompt: string; id: string; multiLaunch: boolean; turn: number },
	{ position, branchName }: { position: number; branchName: string | null },
): string {
	const name = branchNameOf(task, position);
	return branchName === null ? name : `${name}-${task.turn}`;
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
