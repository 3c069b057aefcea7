import { hasHidden, hasInvisible } from '../../base/invisible.ts';

/** The request of a link. All of it is a stranger's text until the user has seen and sent it. */
export interface LaunchLink {
	prompt: string;
	/** The address of a repository, or the name of an open one. */
	repository: string | undefined;
	branch: string | undefined;
}

export type LinkProblem = 'path' | 'no-prompt' | 'too-long' | 'repeated' | 'control' | 'branch';

export const MAXIMUM_PROMPT = 20_000;
const MAXIMUM_REPOSITORY = 2_000;
const MAXIMUM_BRANCH = 250;
/** Percent-encoding turns one character into up to nine. */
const MAXIMUM_QUERY = 9 * (MAXIMUM_PROMPT + MAXIMUM_REPOSITORY + MAXIMUM_BRANCH);

/** A character that is drawn as nothing, although it counts as a symbol. */
const BLANK = '\u2800';

/**
 * Reads path and query of `vscode://<extension>/start-task?prompt=…&repository=…&branch=…`. Other parameters are
 * ignored.
 */
export function readLaunchLink(path: string, query: string): LaunchLink | LinkProblem {
	if (path !== '/start-task') {
		return 'path';
	}
	if (query.length > MAXIMUM_QUERY) {
		return 'too-long';
	}
	const parameters = new URLSearchParams(query);
	const values: Partial<Record<'prompt' | 'repository' | 'branch', string>> = {};
	for (const name of ['prompt', 'repository', 'branch'] as const) {
		const all = parameters.getAll(name);
		// With two values, one could be shown and the other used.
		if (all.length > 1) {
			return 'repeated';
		}
		const value = all[0]?.trim();
		if (value) {
			values[name] = value;
		}
	}
	const { prompt, repository, branch } = values;
	if (prompt === undefined) {
		return 'no-prompt';
	}
	if (
		prompt.length > MAXIMUM_PROMPT ||
		(repository?.length ?? 0) > MAXIMUM_REPOSITORY ||
		(branch?.length ?? 0) > MAXIMUM_BRANCH
	) {
		return 'too-long';
	}
	const names = `${repository ?? ''}${branch ?? ''}`;
	// A lone carriage return or a tab is visible in a prompt; all other hidden text would be read only by the model.
	if (hasHidden(prompt) || hasInvisible(names) || (prompt + names).includes(BLANK)) {
		return 'control';
	}
	if (branch?.startsWith('-')) {
		return 'branch';
	}
	return { prompt: prompt.replaceAll('\r\n', '\n').replaceAll('\r', '\n').toWellFormed(), repository, branch };
}
