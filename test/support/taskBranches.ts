import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { SampleFolder } from './sampleFolder.ts';

/** A file's new content; undefined removes it. */
export type Files = Record<string, string | Uint8Array | undefined>;

const IDENTITY = ['-c', 'user.name=Tester', '-c', 'user.email=tester@example.invalid'];

/** Acts as another machine, which pushes the branches of tasks to the origin of a sample repository. */
export class TaskBranches {
	private readonly folder: string;

	constructor(sample: SampleFolder) {
		this.folder = path.join(path.dirname(sample.folder), 'worker');
		execFileSync('git', ['clone', '--quiet', sample.originFolder, this.folder]);
	}

	/** Commits on a branch, which begins at `main` if it is new, and pushes it. */
	commit(branch: string, files: Files): void {
		const git = (...args: string[]) =>
			execFileSync('git', ['-C', this.folder, ...IDENTITY, ...args], { encoding: 'utf8' });
		const isKnown = git('branch', '--list', branch) !== '';
		git('switch', '--quiet', ...(isKnown ? [branch] : ['--create', branch, 'main']));
		for (const [name, content] of Object.entries(files)) {
			const file = path.join(this.folder, name);
			if (content === undefined) {
				rmSync(file);
			} else {
				mkdirSync(path.dirname(file), { recursive: true });
				writeFileSync(file, content);
			}
		}
		git('add', '--all');
		git('commit', '--quiet', '-m', 'Work');
		git('push', '--quiet', 'origin', branch);
	}

	remove(): void {
		rmSync(this.folder, { recursive: true, force: true });
	}
}
