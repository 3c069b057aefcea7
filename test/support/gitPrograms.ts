import { execFileSync } from 'node:child_process';
import path from 'node:path';

/** The first version that runs hooks which the configuration names. */
const FIRST_WITH_NAMED_HOOKS = [2, 54];

export interface GitProgram {
	/** For names of tests. */
	label: string;
	/** The program: a name that is on PATH, or a path. */
	path: string;
	runsNamedHooks: boolean;
}

/** The git of PATH, and the one that `ERRAND_TEST_GIT` names, if it names one. */
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

/** The environment in which `git` is this program. */
export function pathWith({ path: program }: GitProgram): { PATH: string } {
	const { PATH = '' } = process.env;
	return { PATH: path.isAbsolute(program) ? path.dirname(program) + path.delimiter + PATH : PATH };
}

/** To be called in the body of a `describe`: says in the report when no git here runs hooks of the configuration. */
export function sayWithoutNamedHooks(): void {
	if (!gitPrograms().some(({ runsNamedHooks }) => runsNamedHooks)) {
		it('with a git that runs hooks of the configuration: skipped, as neither PATH nor ERRAND_TEST_GIT names git 2.54 or newer', function () {
			this.skip();
		});
	}
}
