import { firstLine } from '../../base/plainText.ts';

const MAXIMUM_SUBJECT_LENGTH = 72;
const MAXIMUM_SLUG_LENGTH = 40;

/** The first line of a prompt that says something, as the subject of a commit. */
export function commitSubject(prompt: string): string {
	return firstLine(prompt, MAXIMUM_SUBJECT_LENGTH) || 'Errand task';
}

/** The branch that an execution makes. A follow-up makes one only where that of its task cannot be moved on. */
export function newBranchOf(
	task: { prompt: string; id: string; multiLaunch: boolean; turn: number },
	{ position, branchName }: { position: number; branchName: string | null },
): string {
	const name = branchNameOf(task, position);
	return branchName === null ? name : `${name}-${task.turn}`;
}

/**
 * `errand/<words of the prompt>-<first 8 characters of the id>`, and the number of the agent where there are several:
 * ASCII, so that it means the same in every tool.
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
