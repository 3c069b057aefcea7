import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import * as vscode from 'vscode';
import { makeSampleRepository } from '../../../scripts/sampleRepository.ts';
import { defined } from '../../../src/base/defined.ts';
import type { GitRepository } from '../../../src/platform/git.ts';

const run = promisify(execFile);

/** A repository as the Git extension has it, which reads its state only when it is told to. Nothing is pushed through it. */
class OpenRepository implements GitRepository {
	readonly rootUri: vscode.Uri;
	state: GitRepository['state'] = { HEAD: undefined, remotes: [], onDidChange: () => ({ dispose() {} }) };

	constructor(folder: string) {
		this.rootUri = vscode.Uri.file(folder);
	}

	async status(): Promise<void> {
		const remotes = await this.lines('remote');
		const addresses = await Promise.all(remotes.map(name => this.lines('config', `remote.${name}.url`)));
		const [name] = await this.lines('branch', '--show-current');
		const [commit] = await this.lines('rev-parse', 'HEAD');
		this.state = {
			...this.state,
			HEAD: defined({ name, commit }),
			remotes: remotes.map((remote, index) => ({ name: remote, ...defined({ fetchUrl: addresses[index]?.[0] }) })),
		};
	}

	push(): Promise<void> {
		throw new Error('What the Git extension pushes is tested in test/editor.');
	}

	private async lines(...args: string[]): Promise<string[]> {
		const { stdout } = await run('git', args, { cwd: this.rootUri.fsPath });
		return stdout.split('\n').filter(Boolean);
	}
}

/**
 * Gives the editor's stand-in a Git extension that has found git, for all tests of a `describe`. It knows the repositories
 * that a test has it open.
 */
export function useGit(): { open(folder: string): Promise<GitRepository> } {
	const { getExtension } = vscode.extensions;
	const repositories: GitRepository[] = [];
	const api = { state: 'initialized', repositories, git: { path: 'git' } };
	const extension = { activate: async () => ({ enabled: true, getAPI: () => api }) };
	before(() => {
		Object.assign(vscode.extensions, {
			getExtension: (id: string) => (id === 'vscode.git' ? extension : undefined),
		});
	});
	afterEach(() => {
		repositories.length = 0;
	});
	after(() => {
		Object.assign(vscode.extensions, { getExtension });
	});
	return {
		async open(folder) {
			const repository = new OpenRepository(folder);
			await repository.status();
			repositories.push(repository);
			return repository;
		},
	};
}

/** Gives it a window on a repository as well. No file is open in it. */
export function useOpenRepository(): { root(): string; inRoot(name: string): string } {
	let scratch: string;
	const root = () => path.join(scratch, 'widgets');
	useGit();
	before(() => {
		scratch = mkdtempSync(path.join(os.tmpdir(), 'errand-open-repository-'));
		makeSampleRepository(root());
		Object.assign(vscode.workspace, { workspaceFolders: [{ uri: vscode.Uri.file(root()) }] });
	});
	after(() => {
		Object.assign(vscode.workspace, { workspaceFolders: undefined });
		rmSync(scratch, { recursive: true, force: true });
	});
	return { root, inRoot: name => path.join(root(), name) };
}
