import path from 'node:path';
import { isSameOrWithin } from '../../base/filePlace.ts';
import type { PermissionAnswer, PermissionRequest, ToolKind } from './events.ts';
import type { PermissionPolicy } from './permissions.ts';

/** The kinds of tools that need not name a path: the sandbox confines whatever they do, not this policy. */
const WITHOUT_PATH: ReadonlySet<ToolKind> = new Set(['execute', 'search', 'fetch', 'think']);

/** Matches anything but a plain path: a URL, the home folder of a shell, or a path with control characters. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for.
const NO_PATH = /^[a-z][a-z\d+.-]+:|^~|[\u0000-\u001f\u007f]/i;

/**
 * A policy that asks nobody: it allows a request once if every path that it names lies in `folder` or one of `others`,
 * and rejects all others, only this time if the agent offers that. Relative paths start at `folder`, the session's.
 * Links are not resolved, because the agent could create them anyway: the sandbox confines the agent, not this policy.
 */
export function permissionInside(folder: string, others: readonly string[] = []): PermissionPolicy {
	return request => {
		const problem = problemOf(request, folder, [folder, ...others]);
		return problem === undefined ? allowed(request) : rejected(request, problem);
	};
}

function problemOf(
	{ call, complete }: PermissionRequest,
	base: string,
	folders: readonly string[],
): string | undefined {
	if (!complete) {
		return 'It names something that cannot be read.';
	}
	const paths = [...call.locations, ...call.diffs].map(entry => entry.path);
	if (paths.length === 0) {
		const saysWhat = WITHOUT_PATH.has(call.kind) && call.title !== '';
		return saysWhat ? undefined : 'It does not name what it is for.';
	}
	const outside = paths.find(candidate => !isInside(candidate, base, folders));
	return outside === undefined ? undefined : 'It names a path outside the folders of the task.';
}

function isInside(candidate: string, base: string, folders: readonly string[]): boolean {
	if (NO_PATH.test(candidate)) {
		return false;
	}
	const target = path.resolve(base, candidate);
	return folders.some(folder => isSameOrWithin(folder, target));
}

function allowed({ options }: PermissionRequest): PermissionAnswer {
	const option = options.find(({ kind }) => kind === 'allow_once')?.id;
	return option === undefined
		? rejected({ options }, 'It can only be allowed for good.')
		: { option, reason: 'Everything that it names is inside the folders of the task.' };
}

function rejected({ options }: Pick<PermissionRequest, 'options'>, reason: string): PermissionAnswer {
	const option = (['reject_once', 'reject_always'] as const)
		.map(kind => options.find(candidate => candidate.kind === kind)?.id)
		.find(id => id !== undefined);
	return { option, reason };
}
