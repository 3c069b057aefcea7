import * as vscode from 'vscode';
import { UserFacingError } from '../../base/errors.ts';
import type { FoundSetting } from '../../base/gitConfiguration.ts';
import { gitReason } from '../../base/gitReason.ts';
import type { OfferedServer } from '../../chat/api.ts';
import type { TaskServer } from '../../contract/mcpServers.ts';
import { commitChanges } from '../../platform/commitChanges.ts';
import { placeOf } from '../../platform/git.ts';
import { gitFailure, settingLine } from '../../platform/gitRefusalMessages.ts';
import { askModal } from '../../platform/notify.ts';
import { withProgress } from '../../platform/progressNotice.ts';
import { pushCommit } from '../common/pushCommit.ts';
import type { ConfirmedLaunch } from './launchCheck.ts';
import { makeScratchBranch, nameScratchBranch, type ScratchBranch, type ScratchBranches } from './scratchBranches.ts';

/**
 * Carries out the actions that the preflight's rows have named, for the connection of this name, before the request is
 * sent. Resolves with the scratch branch, if one was made. Throws a UserFacingError when git fails; then no task was
 * started.
 */
export async function carryOut(
	{ plan, opened }: ConfirmedLaunch,
	connection: string,
	scratchBranches: ScratchBranches,
): Promise<ScratchBranch | undefined> {
	if (!opened) {
		return undefined;
	}
	const { git, repository } = opened;
	const { push, scratch } = plan;
	const place = placeOf(git, repository.rootUri.fsPath);
	if (push) {
		await pushCommit(repository, push, withNotice).catch(({ message, cause }: UserFacingError) => {
			throw notStarted(message, cause);
		});
		await repository.status().catch(() => {});
		return undefined;
	}
	if (!scratch) {
		return undefined;
	}
	return withNotice(vscode.l10n.t('Creating a scratch branch…'), async () => {
		const commit = scratch.withChanges
			? await commitChanges(place, {
					parent: scratch.parent,
					message: 'Uncommitted changes',
					confirm: confirmPrograms,
				})
			: scratch.parent;
		const branch = nameScratchBranch(commit, scratch.remote);
		// The branch is recorded before it is made, so that a window that closes meanwhile leaves none behind.
		await scratchBranches.remember(branch, connection, place.directory);
		try {
			await makeScratchBranch(place, branch);
		} catch (error) {
			void scratchBranches.remove(branch.name);
			throw error;
		}
		return branch;
	}).catch((error: unknown) => {
		throw gitFailure(
			error,
			vscode.l10n.t(
				'Git couldn’t create the scratch branch: {0} No task was started. Your prompt is kept.',
				gitReason(error),
			),
		);
	});
}

/** Collects what the local service needs for the MCP servers of a task. Throws a UserFacingError if a value is missing. */
export async function handOver(servers: readonly OfferedServer[]): Promise<TaskServer[]> {
	const handed: TaskServer[] = [];
	for (const server of servers) {
		handed.push(
			await server.handOver().catch(({ message, cause }: UserFacingError) => {
				throw notStarted(vscode.l10n.t('The MCP server “{0}” cannot be used: {1}', server.name, message), cause);
			}),
		);
	}
	return handed;
}

function notStarted(message: string, cause: unknown): UserFacingError {
	return new UserFacingError(vscode.l10n.t('{0} No task was started. Your prompt is kept.', message), { cause });
}

/** Shows the programs that the repository's own configuration names and asks whether to run them. */
async function confirmPrograms(programs: readonly FoundSetting[]): Promise<void> {
	const run = vscode.l10n.t('Run It');
	const chosen = await askModal(
		vscode.l10n.t('To include these files, Git has to run a program that the repository’s configuration specifies.'),
		programs.map(settingLine).join('\n'),
		run,
	);
	if (chosen !== run) {
		throw new UserFacingError(
			vscode.l10n.t(
				'The files weren’t included because Git would have to run a program of the repository. Commit them yourself, or start the task without them. No task was started. Your prompt is kept.',
			),
		);
	}
}

const withNotice = <T>(title: string, run: () => Promise<T>) => withProgress(title, run, { isNotice: true });
