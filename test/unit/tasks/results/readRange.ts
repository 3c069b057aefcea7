import type { TaskResult } from '../../../../src/contract/taskResults.ts';
import type { GitPlace } from '../../../../src/platform/git.ts';
import { type BranchRange, fetchBranch, rangeOf, type TaskStart } from '../../../../src/tasks/results/taskBranch.ts';

/** Brings the branch of a result and finds out where it began. */
export async function readRange(
	place: GitPlace,
	remote: string | undefined,
	result: TaskResult,
	start: TaskStart,
): Promise<BranchRange> {
	return rangeOf(place, result, await fetchBranch(place, remote, result, start));
}
