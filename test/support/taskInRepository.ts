import { execFile } from 'node:child_process';
import { chmod, lstat, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type Applied, type ApplyOptions, applyChanges } from '../../src/tasks/apply/applyChanges.ts';
import { type ApplyRecord, MAXIMUM_RECORD, undoing } from '../../src/tasks/apply/applyRecord.ts';
import type { Change, ChangeOutcome } from '../../src/tasks/apply/change.ts';
import { gitContents } from '../../src/tasks/apply/contents.ts';
import { Merger } from '../../src/tasks/apply/merge.ts';
import { plan } from '../../src/tasks/apply/plan.ts';
import { type TreeOptions, WorkingTree } from '../../src/tasks/apply/tree.ts';
import { type ChangedFile, pathOf } from '../../src/tasks/model/changedFile.ts';
import { listChangedFiles } from '../../src/tasks/results/readChanges.ts';
import { TemporaryRepository } from './temporaryRepository.ts';

/** Files by name; executable ones begin with `#!`. */
export type Files = Readonly<Record<string, string | Buffer>>;

/** A repository with the commit from which a task started, the commit that it made, and a tree for applying it. */
export class TaskInRepository {
	readonly repository: TemporaryRepository;
	base = '';
	tip = '';
	files: ChangedFile[] = [];
	tree: Partial<TreeOptions> = {};

	private constructor(repository: TemporaryRepository) {
		this.repository = repository;
	}

	/** Creates both commits. The tree has the first. */
	static async create(before: Files, after: Files): Promise<TaskInRepository> {
		const task = new TaskInRepository(await TemporaryRepository.create());
		await task.repository.git('config', 'core.autocrlf', 'false');
		await task.commit(before, after);
		return task;
	}

	get place() {
		return { gitPath: 'git', directory: this.repository.path, credentials: {} };
	}

	async commit(before: Files, after: Files): Promise<void> {
		await this.replace(before);
		this.base = await this.repository.commitAll('Before');
		await this.replace(after);
		this.tip = await this.repository.commitAll('After');
		await this.list();
		await this.repository.git('reset', '-q', '--hard', this.base);
	}

	async list(): Promise<void> {
		this.files = await listChangedFiles(this.place, this.base, this.tip);
	}

	options(): ApplyOptions {
		const { directory } = this.place;
		const options = {
			directory,
			folders: [directory],
			openFile: async () => undefined,
			ignoresCase: false,
			isWindows: false,
			like: this.base,
			...this.tree,
		};
		return {
			place: this.place,
			tree: new WorkingTree(options),
			contents: gitContents(this.place),
			merger: new Merger('git'),
			heedsRules: true,
			conflictRule: 'markers',
			maximumRecord: MAXIMUM_RECORD,
			editOpen: async () => [],
		};
	}

	/** Returns the expected outcome for each file. */
	async outcomes(files: readonly ChangedFile[] = this.files): Promise<Record<string, ChangeOutcome>> {
		const options = this.options();
		const found: Record<string, ChangeOutcome> = {};
		try {
			for await (const { change, outcome } of plan(files, { ...options, withEdits: false })) {
				found[pathOf(change)] = outcome;
			}
		} finally {
			await options.merger.close();
		}
		return found;
	}

	async apply<T extends Change>(changes: readonly T[], further: Partial<ApplyOptions> = {}): Promise<Applied<T>> {
		const options = { ...this.options(), ...further };
		try {
			return await applyChanges(changes, options);
		} finally {
			await options.merger.close();
		}
	}

	undo(files: ApplyRecord['files']): Promise<Applied<Change>> {
		const { changes, contents } = undoing({ directory: this.repository.path, like: this.base, files });
		return this.apply(changes, { contents, heedsRules: false, conflictRule: 'yours' });
	}

	/** Takes the task's changes back like the undoing of a turn, which knows only both commits. */
	async takeBack(): Promise<Applied<Change>> {
		const changes = await listChangedFiles(this.place, this.tip, this.base);
		return this.apply(changes, { heedsRules: false, conflictRule: 'yours' });
	}

	/** Makes these files the only ones in the working tree. */
	async replace(files: Files): Promise<void> {
		for (const name of await readdir(this.repository.path)) {
			if (name !== '.git') {
				await rm(path.join(this.repository.path, name), { recursive: true });
			}
		}
		for (const [name, content] of Object.entries(files)) {
			await this.write(name, content);
		}
	}

	async write(name: string, content: string | Buffer): Promise<void> {
		const file = path.join(this.repository.path, name);
		await mkdir(path.dirname(file), { recursive: true });
		await writeFile(file, content);
		await chmod(file, isProgram(content) ? 0o755 : 0o644);
	}

	/** Returns all regular files of the working tree as `+mode content` by their names. */
	async present(folder = ''): Promise<Record<string, string>> {
		const found: Record<string, string> = {};
		const entries = await readdir(path.join(this.repository.path, folder), { withFileTypes: true });
		for (const entry of entries) {
			const name = folder === '' ? entry.name : `${folder}/${entry.name}`;
			if (entry.isDirectory() && name !== '.git') {
				Object.assign(found, await this.present(name));
			} else if (entry.isFile()) {
				const file = path.join(this.repository.path, name);
				const isExecutable = ((await lstat(file)).mode & 0o100) !== 0;
				found[name] = `${isExecutable ? '+x' : '-x'} ${(await readFile(file)).toString('latin1')}`;
			}
		}
		return found;
	}
}

/** Returns files in the form of `TaskInRepository.present`. */
export function asPresent(files: Files): Record<string, string> {
	return Object.fromEntries(
		Object.entries(files).map(([name, content]) => [
			name,
			`${isProgram(content) ? '+x' : '-x'} ${Buffer.from(content).toString('latin1')}`,
		]),
	);
}

const isProgram = (content: string | Buffer) => Buffer.from(content).subarray(0, 2).toString() === '#!';

/** Merges with git alone, and returns the result with the number of conflicts. */
export async function mergeFile(
	folder: string,
	yours: Buffer,
	base: Buffer,
	task: Buffer,
	...how: string[]
): Promise<{ content: Buffer; conflicts: number }> {
	const names = ['own', 'base', 'other'].map(name => path.join(folder, `merge-${name}`));
	await Promise.all([yours, base, task].map((content, index) => writeFile(names[index] ?? '', content)));
	return new Promise((resolve, reject) => {
		const labels = ['-L', 'Yours', '-L', 'Base', '-L', 'Task'];
		execFile('git', ['merge-file', '-p', ...how, ...labels, ...names], { encoding: 'buffer' }, (error, content) => {
			const status = error === null ? 0 : Number(error.code);
			return status < 128 ? resolve({ content, conflicts: status }) : reject(error);
		});
	});
}
