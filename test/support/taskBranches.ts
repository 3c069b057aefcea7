import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { TemporaryRepository } from './temporaryRepository.ts';

/** A file's new content; undefined removes it. */
export type Files = Record<string, string | Uint8Array | undefined>;

/**
 * A user's clone of a bare repository to which other machines push the branches of tasks. Every test that makes one must
 * call `remove`.
 */
export class TaskBranches {
	/** The clone of the user. */
	readonly user: TemporaryRepository;
	/** The folder of the bare repository. */
	readonly origin: string;
	private readonly worker: string;

	private constructor(user: TemporaryRepository) {
		this.user = user;
		this.origin = path.join(user.folder, 'origin.git');
		this.worker = path.join(user.folder, 'worker');
	}

	/** Makes both with these files on `main`. */
	static async create(files: Files): Promise<TaskBranches> {
		const user = await TemporaryRepository.create();
		const branches = new TaskBranches(user);
		await writeAll(user.path, files);
		await user.commitAll('Begin');
		await user.git('clone', '--quiet', '--bare', user.path, branches.origin);
		await user.git('remote', 'add', 'origin', branches.origin);
		await user.git('fetch', '--quiet', 'origin');
		await user.git('clone', '--quiet', branches.origin, branches.worker);
		return branches;
	}

	/** Commits on a branch, which begins at `main` where it is new, and pushes it. Resolves with the commit. */
	async commit(branch: string, files: Files): Promise<string> {
		const git = (...args: string[]) => this.user.git('-C', this.worker, ...args);
		const known = await git('branch', '--list', branch);
		await git('switch', '--quiet', ...(known === '' ? ['--create', branch, 'main'] : [branch]));
		await writeAll(this.worker, files);
		await git('add', '--all');
		await git('commit', '--quiet', '-m', 'Work');
		await git('push', '--quiet', 'origin', branch);
		return (await git('rev-parse', 'HEAD')).trim();
	}

	/** Returns the content that a file has on a branch of the bare repository. */
	read(branch: string, name: string): Promise<string> {
		return this.user.git('-C', this.origin, 'show', `${branch}:${name}`);
	}

	remove(): Promise<void> {
		return this.user.remove();
	}
}

async function writeAll(folder: string, files: Files): Promise<void> {
	for (const [name, content] of Object.entries(files)) {
		const file = path.join(folder, name);
		if (content === undefined) {
			await rm(file);
		} else {
			await mkdir(path.dirname(file), { recursive: true });
			await writeFile(file, content);
		}
	}
}
