import { appendFile, mkdir, utimes } from 'node:fs/promises';
import path from 'node:path';
import type { GitPlace } from '../../../src/platform/git.ts';
import type { GitProgram } from '../../support/gitPrograms.ts';
import { RepositoryTrap } from '../../support/repositoryTrap.ts';

/** A confirmation that is always refused. */
export const declined = () => Promise.reject(new Error('declined'));

/** Sets the time of a file to one long ago, so that git has to compare the content. */
export const touch = (file: string) => utimes(file, 1_000_000_000, 1_000_000_000);

/**
 * Sets up a hostile repository for each test of a `describe`, in whose body it is called, and a home folder of the user in
 * place of the real one.
 */
export function useHostileRepository(program: GitProgram) {
	let trap: RepositoryTrap;
	let home: string;
	let realHome: string | undefined;

	beforeEach(async () => {
		trap = await RepositoryTrap.create();
		const { repository } = trap;
		const identity = '[user]\n\tname = Tester\n\temail = tester@example.invalid\n';
		await appendFile(path.join(repository.path, '.git', 'config'), identity);
		home = path.join(repository.folder, 'home');
		await mkdir(home);
		realHome = process.env['HOME'];
		process.env['HOME'] = home;
	});
	afterEach(async () => {
		process.env['HOME'] = realHome;
		await trap.remove();
	});

	return {
		get trap() {
			return trap;
		},
		get directory() {
			return trap.repository.path;
		},
		get home() {
			return home;
		},
		/** The repository with the program that the tests run. */
		get place(): GitPlace {
			return { gitPath: program.path, directory: trap.repository.path, credentials: {} };
		},
		/** Commits files that have filters, then changes a tracked file and adds one that has a filter. */
		async fill(): Promise<void> {
			const { repository } = trap;
			const evil = '*.evil filter=evil diff=evil\n*.evil-process filter=evil-process diff=evil\n';
			await repository.write('.gitattributes', evil);
			await repository.write('a.evil', 'a\n');
			await repository.write('a.evil-process', 'a\n');
			await repository.commitAll('Filtered');
			await repository.write('README.md', 'changed\n');
			await repository.write('new.evil', 'new\n');
		},
	};
}
