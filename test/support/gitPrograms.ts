import { execFileSync } from 'node:child_process';
import path from 'node:path';

/** The first version of git that runs hooks named by the configuration. */
const FIRST_WITH_NAMED_HOOKS = [2, 54];

export interface GitProgram {
	/** The program's name and version, for test titles. */
	label: string;
	/** The path of the program, or a name that is on PATH. */
	path: string;
	runsNamedHooks: boolean;
}

/** Returns the git on PATH and, if `ERRAND_TEST_GIT` is set, the git that it names. */
export function gitPrograms(): GitProgram[] {
	const named = process.env['ERRAND_TEST_GIT'];
	return ['git', ...(named === undefined || named === '' ? [] : [path.resolve(named)])].map(program => {
		const label = execFileSync(program, ['--version'], { encoding: 'utf8' }).trim();
		const [, major = 0, minor = 0] = /(\d+)\.(\d+)/.exec(label)?.map(Number) ?? [];
		const [firstMajor = 0, firstMinor = 0] = FIRST_WITH_NAMED_HOOKS;
		const runsNamedHooks = major > firstMajor || (major === firstMajor && minor >= firstMinor);
		return { label, path: program, runsNamedHooks };
	});
}

/** Returns the environment variables that make `git` this program. */
export function pathWith({ path: program }: GitProgram): { PATH: string } {
	const { PATH = '' } = process.env;
	return { PATH: path.isAbsolute(program) ? path.dirname(program) + path.delimiter + PATH : PATH };
}

/**
 * Adds a skipped test to the surrounding `describe` if no git here runs hooks of the configuration, so that the report
 * says so.
 */
export function sayWithoutNamedHooks(): void {
	if (!gitPrograms().some(({ runsNamedHooks }) => runsNamedHooks)) {
		it('with a git that runs hooks of the configuration: skipped, as neither PATH nor ERRAND_TEST_GIT names git 2.54 or newer', function () {
			this.skip();
		});
	}
}
