import { execFile } from 'node:child_process';
import { globSync, rmSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The repository from which most others are copied: without the starts of git, thousands of tests are faster. */
let template: Promise<TemporaryRepository> | undefined;

export interface TemporaryRepositoryOptions {
	/** True for a repository without commits. By default, it has one file and one commit on `main`. */
	empty?: boolean;
	objectFormat?: 'sha1' | 'sha256';
}

/** A real git repository in `folder/repository`. The rest of `folder` is free for other files of the test. */
export class TemporaryRepository {
	readonly folder: string;
	readonly path: string;

	private constructor(folder: string) {
		this.folder = folder;
		this.path = path.join(folder, 'repository');
	}

	static async create(options: TemporaryRepositoryOptions = {}): Promise<TemporaryRepository> {
		const repository = await TemporaryRepository.make();
		const { empty = false, objectFormat = 'sha1' } = options;
		if (empty || objectFormat !== 'sha1') {
			await repository.fill(options);
			return repository;
		}
		template ??= TemporaryRepository.makeTemplate();
		await cp(path.join((await template).path, '.git'), path.join(repository.path, '.git'), { recursive: true });
		await repository.git('reset', '--quiet', '--hard');
		return repository;
	}

	private static async make(): Promise<TemporaryRepository> {
		const repository = new TemporaryRepository(await mkdtemp(path.join(os.tmpdir(), 'errand-repository-')));
		await mkdir(repository.path);
		return repository;
	}

	private static async makeTemplate(): Promise<TemporaryRepository> {
		const made = await TemporaryRepository.make();
		process.once('exit', () => rmSync(made.folder, { recursive: true, force: true }));
		await made.fill({});
		// git puts these examples into each new repository.
		for (const sample of globSync('.git/hooks/*.sample', { cwd: made.path })) {
			rmSync(path.join(made.path, sample));
		}
		return made;
	}

	private async fill({ empty, objectFormat = 'sha1' }: TemporaryRepositoryOptions): Promise<void> {
		await this.git('init', '--quiet', '--initial-branch=main', `--object-format=${objectFormat}`);
		if (!empty) {
			await this.write('README.md', '# Sample\n');
			await this.commitAll('First');
		}
	}

	/** Runs git in the repository, without the machine's own configuration, and returns its standard output. */
	async git(...args: string[]): Promise<string> {
		// Background maintenance would start two more programs for each commit.
		const running = run('git', ['-c', 'maintenance.auto=false', ...args], {
			cwd: this.path,
			maxBuffer: 64 * 1024 * 1024,
			env: {
				PATH: process.env['PATH'],
				HOME: this.folder,
				GIT_CONFIG_NOSYSTEM: '1',
				GIT_CONFIG_GLOBAL: os.devNull,
				GIT_AUTHOR_NAME: 'Tester',
				GIT_AUTHOR_EMAIL: 'tester@example.invalid',
				GIT_COMMITTER_NAME: 'Tester',
				GIT_COMMITTER_EMAIL: 'tester@example.invalid',
				LC_ALL: 'C',
			},
		});
		// A program that git starts may read the standard input, and would wait for it forever.
		running.child.stdin?.end();
		return (await running).stdout;
	}

	async write(name: string, text: string | Uint8Array): Promise<void> {
		const file = path.join(this.path, name);
		await mkdir(path.dirname(file), { recursive: true });
		await writeFile(file, text);
	}

	async commitAll(message: string): Promise<string> {
		await this.git('add', '--all');
		await this.git('commit', '--quiet', '--allow-empty', '-m', message);
		return await this.committed().catch(() => this.head());
	}

	/**
	 * Returns the commit of HEAD without starting git. Rejects if the repository's data lies elsewhere, as in a further
	 * working tree.
	 */
	private async committed(): Promise<string> {
		const read = async (name: string) => (await readFile(path.join(this.path, '.git', name), 'utf8')).trim();
		const head = await read('HEAD');
		return head.startsWith('ref: ') ? await read(head.slice('ref: '.length)) : head;
	}

	async head(reference = 'HEAD'): Promise<string> {
		return (await this.git('rev-parse', '--verify', reference)).trim();
	}

	/** Returns the sorted names of all branches. */
	async branches(): Promise<string[]> {
		const names = await this.git('for-each-ref', '--format=%(refname:short)', 'refs/heads');
		return names
			.split('\n')
			.filter(name => name !== '')
			.sort();
	}

	async remove(): Promise<void> {
		await rm(this.folder, { recursive: true, force: true });
	}
}
