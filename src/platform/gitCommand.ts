import { execFile } from 'node:child_process';

/** Settings of a repository that would run a program or reach out, switched off for every call of ours. */
const SAFE_OPTIONS = [
	'--no-pager',
	'--no-replace-objects',
	'-c',
	'core.hooksPath=/dev/null',
	'-c',
	'core.fsmonitor=false',
	'-c',
	'log.showSignature=false',
];

const TIMEOUT_MS = 20_000;
const MAXIMUM_OUTPUT = 64 * 1024 * 1024;

/**
 * Runs a reading git command in a directory and resolves with what it printed. Nothing of the repository's own
 * configuration runs. `stopAt`: a directory in which git stops to look upwards for a repository. Rejects when git fails.
 */
export function runGit(gitPath: string, directory: string, commandLine: string[], stopAt?: string): Promise<string> {
	const environment: NodeJS.ProcessEnv = {};
	for (const [name, value] of Object.entries(process.env)) {
		// A variable of an outer git (GIT_DIR, GIT_CONFIG_PARAMETERS) would point these calls elsewhere.
		if (!name.toUpperCase().startsWith('GIT_')) {
			environment[name] = value;
		}
	}
	return new Promise((resolve, reject) => {
		execFile(
			gitPath,
			[...SAFE_OPTIONS, ...commandLine],
			{
				cwd: directory,
				env: {
					...environment,
					GIT_TERMINAL_PROMPT: '0',
					GIT_OPTIONAL_LOCKS: '0',
					// A repository can name a place (and a program) to fetch missing objects from: no transport is allowed.
					GIT_NO_LAZY_FETCH: '1',
					GIT_ALLOW_PROTOCOL: 'none',
					LC_ALL: 'C',
					...(stopAt === undefined ? {} : { GIT_CEILING_DIRECTORIES: stopAt }),
				},
				timeout: TIMEOUT_MS,
				maxBuffer: MAXIMUM_OUTPUT,
				windowsHide: true,
			},
			(error, stdout) => (error ? reject(error) : resolve(stdout)),
		);
	});
}
