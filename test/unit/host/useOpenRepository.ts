import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import { makeSampleRepository } from '../../../scripts/sampleRepository.ts';

/** Gives the editor's stand-in a Git extension that has found git and no repository, for all tests of a `describe`. */
export function useGit(): void {
	const { getExtension } = vscode.extensions;
	const api = { state: 'initialized', repositories: [], git: { path: 'git' } };
	const extension = { activate: async () => ({ enabled: true, getAPI: () => api }) };
	before(() => {
		Object.assign(vscode.extensions, {
			getExtension: (id: string) => (id === 'vscode.git' ? extension : undefined),
		});
	});
	after(() => {
		Object.assign(vscode.extensions, { getExtension });
	});
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
