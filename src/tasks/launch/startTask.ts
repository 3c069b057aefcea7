import path from 'node:path';
import * as vscode from 'vscode';
import { UserFacingError } from '../../base/errors.ts';
import type { TaskCreateRequest } from '../../contract/tasks.ts';
import type { GitApi, GitRepository } from '../../platform/git.ts';
import { readSetting } from '../../platform/settings.ts';
import { oneLine } from '../model/plainText.ts';
import type { TaskConnection } from '../register.ts';
import { askPrompt } from './askPrompt.ts';
import { confirmLaunch, type LaunchAgent } from './confirmLaunch.ts';
import type { Branch } from './model/branches.ts';
import { type LaunchTarget, launchTarget } from './model/launchTarget.ts';
import { pickBranch, readBranchesOf } from './pickBranch.ts';
import { findRepositories, pickRepository, repositoryName } from './pickRepository.ts';
import { countCommits, readBranchCommit, remoteDirectory } from './repositoryFacts.ts';

const MAXIMUM_NAME = 120;

type Target = LaunchTarget & { ok: true };

/**
 * Asks for everything a task needs and says what will be sent. Throws a sentence for the user where the repository cannot
 * be used; nothing was changed or sent then. Undefined: dismissed.
 */
export async function askForTask(
	workspaceState: vscode.Memento,
	connection: TaskConnection,
	proposedPrompt: string | undefined,
): Promise<TaskCreateRequest | undefined> {
	const { git, repositories } = await vscode.window.withProgress(
		{ location: vscode.ProgressLocation.Window, title: vscode.l10n.t('Looking for repositories…') },
		findRepositories,
	);
	const repository = await pickRepository(repositories);
	if (!repository) {
		return undefined;
	}
	const branches = await readBranchesOf(git, repository);
	const picked = await pickBranch(repository, branches);
	if (!picked) {
		return undefined;
	}
	// A branch that cannot be used is better said before the prompt is written.
	await findTarget(git, repository, branches, picked, connection.isLocal);
	const prompt = await askPrompt(workspaceState, proposedPrompt);
	if (prompt === undefined) {
		return undefined;
	}
	const agent = chooseAgent(connection.agents);
	const maxDuration = Math.max(0, readSetting('errand.tasks.maxDuration') || 0);
	const model = readSetting('errand.tasks.model');
	// Writing a prompt takes time: what is confirmed is how things stand now.
	await repository.status().catch(() => {});
	const branchesNow = await readBranchesOf(git, repository);
	const branch = findAgain(branchesNow, picked);
	const target = await findTarget(git, repository, branchesNow, branch, connection.isLocal);
	const confirmed = await confirmLaunch({
		connectionLabel: connection.label,
		repository,
		target,
		missingCommits: target.differs
			? await countCommits(git.git.path, repository.rootUri.fsPath, target.commit, branch.commit)
			: undefined,
		agents: connection.agents,
		...agent,
		model,
		maxDuration,
	});
	if (!confirmed) {
		return undefined;
	}
	return {
		prompt,
		repoUrl: target.repoUrl,
		selectedBranch: target.branch,
		...(confirmed.agent ? { selectedAgent: confirmed.agent.id } : {}),
		...(model ? { selectedModel: model } : {}),
		...(maxDuration > 0 ? { maxDuration } : {}),
	};
}

async function findTarget(
	git: GitApi,
	repository: GitRepository,
	branches: readonly Branch[],
	branch: Branch,
	isLocal: boolean,
): Promise<Target> {
	const repositoryPath = repository.rootUri.fsPath;
	const remotes = repository.state.remotes.map(({ name, fetchUrl, pushUrl }) => ({
		name,
		url: fetchUrl ?? pushUrl ?? '',
	}));
	const origin = remotes.find(({ name }) => name === 'origin');
	const directory = isLocal && origin ? await remoteDirectory(origin.url, repositoryPath) : undefined;
	const target = launchTarget({
		isLocal,
		repositoryPath,
		branch,
		branches,
		remotes,
		originDirectory:
			directory === undefined
				? undefined
				: { path: directory, commit: await originCommit(git, directory, branch.name) },
	});
	if (!target.ok) {
		throw new UserFacingError(problemText(target, repository, branch));
	}
	return target;
}

/** The ceiling keeps git from taking a repository above the directory for the one in it. */
function originCommit(git: GitApi, directory: string, name: string): Promise<string | undefined> {
	return readBranchCommit(git.git.path, directory, { name, remote: undefined }, path.dirname(directory));
}

function problemText(target: LaunchTarget & { ok: false }, repository: GitRepository, branch: Branch): string {
	const name = oneLine(branch.name, MAXIMUM_NAME);
	const remote = target.problem === 'no-remote' ? '' : oneLine(target.remote, MAXIMUM_NAME);
	switch (target.problem) {
		case 'no-remote':
			return vscode.l10n.t(
				'“{0}” has no remote, and this connection’s service cannot reach this machine. Add a remote and push “{1}”, or switch to the local connection.',
				repositoryName(repository),
				name,
			);
		case 'unusable-remote':
			return vscode.l10n.t(
				'The address of remote “{0}” is not one that a service elsewhere can clone. Give it an https or ssh address, or switch to the local connection.',
				remote,
			);
		case 'not-on-remote':
			return vscode.l10n.t('Branch “{0}” isn’t on {1} yet. Push it, then start the task.', name, remote);
		case 'only-on-remote':
			return vscode.l10n.t('Branch “{0}” is only on {1}. Check it out here, then start the task.', name, remote);
	}
}

function findAgain(branches: readonly Branch[], { name, remote }: Branch): Branch {
	const branch = branches.find(candidate => candidate.name === name && candidate.remote === remote);
	if (!branch) {
		throw new UserFacingError(
			vscode.l10n.t(
				'Branch “{0}” is gone. Start the task again and choose another; the prompt is kept.',
				oneLine(name, MAXIMUM_NAME),
			),
		);
	}
	return branch;
}

function chooseAgent(agents: readonly LaunchAgent[]): {
	agent: LaunchAgent | undefined;
	unknownAgent: string | undefined;
} {
	const wanted = readSetting('errand.tasks.agent');
	if (!wanted) {
		return { agent: agents[0], unknownAgent: undefined };
	}
	const agent = agents.find(({ id }) => id === wanted);
	if (agent) {
		return { agent, unknownAgent: undefined };
	}
	// A connection that lists no agents leaves the name to the service.
	return agents.length === 0
		? { agent: { id: wanted }, unknownAgent: undefined }
		: { agent: agents[0], unknownAgent: wanted };
}
