import path from 'node:path';
import type { PlaceOptions } from '../../agents/run/runPlace.ts';
import { UserFacingError } from '../../base/errors.ts';
import { type SandboxProblem, sandboxProblem } from '../../contract/agents.ts';
import type { Agent } from './agent.ts';
import { folderOfRepoUrl } from './repoUrl.ts';
import type { RunServices } from './runServices.ts';

const SANDBOX_PROBLEMS: Readonly<Record<SandboxProblem, string>> = {
	'not-installed': 'bubblewrap is not installed',
	'not-permitted': 'bubblewrap may not make one here',
	platform: 'Errand knows none for this system yet',
};

/** Returns the marker that identifies the processes of an execution. Two attempts may be on one machine at a time. */
export function processMarker(taskId: string, position: number, attempt = 1): string {
	return `${taskId}/${position}${attempt === 1 ? '' : `-${attempt}`}`;
}

type SandboxServices = Pick<RunServices, 'probeSandbox' | 'allowsUnsandboxed'>;

/**
 * Resolves with whether the programs of a task run in a sandbox. `agent` is the one that is to run.
 * @throws UserFacingError if there is none and the user has not allowed running without one.
 */
export async function findSandbox(services: SandboxServices, repoUrl: string, agent?: Agent): Promise<boolean> {
	const status = await services.probeSandbox();
	const { works, detail } = status;
	const problem = sandboxProblem(status);
	if (!works && agent?.account !== undefined) {
		throw new UserFacingError(
			`${agent.label} was not started, because it runs only in a sandbox, which keeps it to the hosts of its account: ${SANDBOX_PROBLEMS[problem]}.`,
		);
	}
	if (!works && !(await services.allowsUnsandboxed(repoUrl, problem))) {
		const why = detail === undefined ? '' : ` (${detail})`;
		throw new UserFacingError(
			`There is no sandbox for agents on this machine: ${SANDBOX_PROBLEMS[problem]}${why}. Start the task from Errand's window, which asks whether agents may run without one in this repository.`,
		);
	}
	return works;
}

export interface TaskPlace {
	repoUrl: string;
	/** The folder of the execution. */
	folder: string;
	marker: string;
	isSandboxed: boolean;
	services: Pick<RunServices, 'privateFolders' | 'insideProgram'>;
}

/** Returns what all places at which programs of a task run have in common. */
export function placeOfTask({ repoUrl, services, ...given }: TaskPlace): Omit<PlaceOptions, 'tree' | 'home'> {
	const repository = folderOfRepoUrl(repoUrl);
	return {
		...given,
		name: path.basename(repository).replace(/\.git$/, ''),
		privateFolders: [...services.privateFolders, repository],
		insideProgram: services.insideProgram,
	};
}
