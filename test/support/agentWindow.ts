// A window on a sample repository whose agents work in the sandbox, with models that follow scripts.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { makeSampleRepository } from '../../scripts/sampleRepository.ts';
import { insidePlaces } from '../../src/agents/sandbox/places.ts';
import { type EditorServer, openWindow, readsWorkspaceFile, startEditor } from './editor.ts';
import { openView } from './editorWindow.ts';
import { ScriptedModel, type Step } from './scriptedModel.ts';

export interface AgentWindow {
	server: EditorServer;
	page: Page;
	/** The folder of the window. */
	folder: string;
	/** The model servers. */
	models: readonly ScriptedModel[];
	/** Runs git in the window's folder and returns its output. */
	git(...args: string[]): string;
	/** Runs git in the repository from which the window's folder was cloned, and returns its output. */
	origin(...args: string[]): string;
	stop(): Promise<void>;
}

export interface AgentWindowOptions {
	/** The steps of the models, by the prompt. */
	scripts: Readonly<Record<string, readonly Step[]>>;
	/** Files of the repository besides those of the sample, by their paths. */
	files?: Record<string, string>;
	/** Further folders of the window besides the sample's, by name, each with its files. */
	besides?: Record<string, { files: Record<string, string>; isRepository: boolean }>;
	/** The number of model servers, each with one model named `coder`; 1 by default. */
	servers?: number;
	/** The source of the agents' copy: tasks copy the repository that was cloned, the chat copies the window's folder. */
	worksOn: 'origin' | 'folder';
	/** Returns the settings of the window, given the addresses of the model servers. */
	settings(urls: readonly string[]): Record<string, unknown>;
}

const IDENTITY = ['-c', 'user.name=Robin Acme', '-c', 'user.email=robin@acme.example'];

export async function openAgentWindow({
	scripts,
	files = {},
	besides = {},
	servers = 1,
	worksOn,
	settings,
}: AgentWindowOptions): Promise<AgentWindow> {
	const scratch = mkdtempSync(path.join(process.env['ERRAND_TEST_SCRATCH'] ?? os.tmpdir(), 'errand-agents-'));
	const sample = makeSampleRepository(path.join(scratch, 'widgets'));
	const gitIn =
		(folder: string) =>
		(...args: string[]) =>
			execFileSync('git', ['-C', folder, ...args], { encoding: 'utf8' });
	const git = gitIn(sample.folder);
	writeFiles(sample.folder, files);
	if (Object.keys(files).length > 0) {
		git('add', '--all');
		git('commit', '--quiet', '--message', 'Add what the tasks begin with');
		git('push', '--quiet', 'origin', 'HEAD');
	}
	const further = Object.entries(besides).map(([name, { files: own, isRepository }]) => {
		const folder = path.join(scratch, name);
		writeFiles(folder, own);
		if (isRepository) {
			execFileSync('git', ['init', '--quiet', folder]);
			gitIn(folder)('add', '--all');
			gitIn(folder)(...IDENTITY, 'commit', '--quiet', '--message', 'Begin');
		}
		return folder;
	});
	const workspace = path.join(scratch, 'all.code-workspace');
	if (further.length > 0) {
		writeFileSync(
			workspace,
			JSON.stringify({ folders: [sample.folder, ...further].map(folder => ({ path: folder })) }),
		);
	}
	// With several repositories, the folder has another name.
	const isOne = Object.values(besides).every(({ isRepository }) => !isRepository);
	const { tree } = insidePlaces(isOne ? path.basename(sample[worksOn], '.git') : 'workspace');
	const models = await Promise.all(
		Array.from({ length: servers }, () => ScriptedModel.start({ scripts, tree, model: 'coder' })),
	);
	const server = await startEditor({ folder: sample.folder, settings: settings(models.map(({ url }) => url)) });
	const { page } = await openWindow(server, further.length > 0 ? { folder: workspace } : {});
	if (further.length > 0) {
		const rows = (await openView(page, 'Explorer')).locator('.explorer-folders-view .monaco-list-row');
		await readsWorkspaceFile(workspace, async () => (await rows.count()) > further.length);
	}
	await openView(page, 'Errand');
	return {
		server,
		page,
		folder: sample.folder,
		models,
		git,
		origin: gitIn(sample.origin),
		async stop() {
			await server.stop();
			await Promise.all(models.map(model => model.stop()));
			rmSync(scratch, { recursive: true, force: true });
		},
	};
}

function writeFiles(folder: string, files: Record<string, string>): void {
	for (const [file, text] of Object.entries(files)) {
		mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
		writeFileSync(path.join(folder, file), text);
	}
}
