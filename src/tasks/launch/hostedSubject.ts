import * as vscode from 'vscode';
import { ClientError, UserFacingError } from '../../base/errors.ts';
import { escapeIcons, oneLine, shortName } from '../../base/plainText.ts';
import { readRemoteUrl } from '../../base/remoteUrl.ts';
import type { Client } from '../../client/types.ts';
import type { Branch, Repository } from '../../contract/sources.ts';
import { quote } from '../../platform/notify.ts';
import { choose, inputName } from '../../platform/pick.ts';
import { withProgress } from '../../platform/progressNotice.ts';
import type { TaskConnection } from '../model/taskConnection.ts';
import type { GitFacts, LaunchSubject } from './launchSubject.ts';

type Sources = Client['sources'];

const MAXIMUM_DESCRIPTION = 160;

/** A repository that the service sees and that is not open in this window. Its tasks start from the service's copy. */
class HostedSubject implements LaunchSubject {
	readonly opened = undefined;
	readonly name: string;
	readonly key: string;
	private readonly branches: readonly Branch[];
	private chosen: string;

	constructor(name: string, repoUrl: string, branches: readonly Branch[], chosen: string) {
		this.name = name;
		this.key = repoUrl;
		this.branches = branches;
		this.chosen = chosen;
	}

	get branch(): string {
		return this.chosen;
	}

	gather(): Promise<GitFacts> {
		return Promise.resolve({
			target: {
				ok: true,
				kind: 'remote',
				repoUrl: this.key,
				branch: this.chosen,
				remote: undefined,
				there: undefined,
				here: undefined,
			},
			ahead: undefined,
			behind: undefined,
			changed: [],
			nested: [],
			hasConflicts: false,
			repositoryKind: 'plain',
			cloneKinds: [],
			missingFiles: undefined,
			submodules: [],
			hasCredentials: false,
			isNameUnsafe: this.chosen.startsWith('-'),
		});
	}

	async chooseBranch(): Promise<void> {
		this.chosen = (await pickHostedBranch(this.name, this.branches)) ?? this.chosen;
	}
}

/**
 * Lets the user choose an owner and a repository that the service sees, and a branch if none is wished for and the
 * service names no default. Throws a ClientError, or a UserFacingError if there is nothing to choose from. Resolves
 * with undefined when dismissed.
 */
export async function pickHostedSubject(
	sources: Sources,
	connection: TaskConnection,
	wishedBranch: string | undefined,
): Promise<HostedSubject | undefined> {
	const label = shortName(connection.label);
	const owner = await pickOwner(sources, label);
	if (owner === undefined) {
		return undefined;
	}
	const listed = await asking(label, () => sources.repositories(owner));
	const repositories = listed.flatMap(repository => {
		const place = readRemoteUrl(repository.clone_url ?? '');
		return place.kind === 'url' ? [{ repository, repoUrl: place.url }] : [];
	});
	if (repositories.length === 0) {
		throw new UserFacingError(
			vscode.l10n.t(
				'{0} has no access to repositories of “{1}”. Check the name, or grant access in the service’s dashboard.',
				label,
				shortName(owner),
			),
		);
	}
	const picked = await choose(
		vscode.l10n.t('Start Task: Repository of {0}', shortName(owner)),
		repositories
			.sort((a, b) => (b.repository.updated_at ?? '').localeCompare(a.repository.updated_at ?? ''))
			.map(value => ({ ...repositoryItem(value.repository), value })),
		{ placeHolder: vscode.l10n.t('Select a repository. It doesn’t need to be open here'), ignoreFocusOut: true },
	);
	if (!picked) {
		return undefined;
	}
	const name = shortName(`${owner}/${picked.repository.name}`);
	const branches = await asking(label, () => sources.branches(owner, picked.repository.name)).catch(error =>
		throwUnseen(error, label, name),
	);
	if (branches.length === 0) {
		throw new UserFacingError(
			vscode.l10n.t('{0} found no branch in “{1}”. Make a first commit there, then start the task.', label, name),
		);
	}
	const branch =
		wishedBranch ?? branches.find(({ isDefault }) => isDefault)?.name ?? (await pickHostedBranch(name, branches));
	return branch === undefined ? undefined : new HostedSubject(name, picked.repoUrl, branches, branch);
}

/**
 * Throws the error of a look-up of branches. The link to the source host worked for the list of repositories a moment
 * ago, so a 404 means the repository, whatever its code.
 */
function throwUnseen(error: unknown, label: string, name: string): never {
	if (!ClientError.is(error, 'source-link-missing') && !ClientError.is(error, 'not-found')) {
		throw error;
	}
	throw new UserFacingError(
		vscode.l10n.t(
			'{0} no longer has access to “{1}”: it was removed or renamed, or access was revoked. Select a different repository, or grant access in the service’s dashboard.',
			label,
			name,
		) + quote(error.serviceMessage),
		{ cause: error },
	);
}

async function pickOwner(sources: Sources, label: string): Promise<string | undefined> {
	const organisations = await asking(label, () => sources.organisations());
	const title = vscode.l10n.t('Start Task: Owner of the Repository');
	const picked = await choose<{ login: string } | 'other'>(
		title,
		[
			...organisations.map(({ login, name }) => ({
				label: `$(organization) ${escapeIcons(shortName(login))}`,
				description: escapeIcons(shortName(name ?? '')),
				value: { login },
			})),
			{
				label: `$(edit) ${vscode.l10n.t('Another Owner…')}`,
				description: vscode.l10n.t('enter a user or an organization'),
				value: 'other' as const,
			},
		],
		{ placeHolder: vscode.l10n.t('Select the owner of the repository'), ignoreFocusOut: true },
	);
	return picked === 'other'
		? inputName(title, vscode.l10n.t('The name of the user or organization on the source host'))
		: picked?.login;
}

function repositoryItem(repository: Repository): vscode.QuickPickItem {
	const { name, description, language } = repository;
	const notes = [language ?? '', repository.private === true ? vscode.l10n.t('private') : ''];
	return {
		label: `$(repo) ${escapeIcons(shortName(name))}`,
		description: escapeIcons(oneLine([...notes, description ?? ''].filter(Boolean).join(' · '), MAXIMUM_DESCRIPTION)),
	};
}

function pickHostedBranch(repository: string, branches: readonly Branch[]): Promise<string | undefined> {
	return choose(
		vscode.l10n.t('Start Task: Branch'),
		[...branches]
			.sort((a, b) => Number(b.isDefault ?? false) - Number(a.isDefault ?? false))
			.map(({ name, isDefault, protected: isProtected }) => ({
				label: `$(git-branch) ${escapeIcons(shortName(name))}`,
				description: [
					isDefault ? vscode.l10n.t('default') : '',
					isProtected ? vscode.l10n.t('protected from force push and deletion') : '',
				]
					.filter(Boolean)
					.join(' · '),
				value: name,
			})),
		{
			placeHolder: vscode.l10n.t('Select the branch of “{0}” that the task starts from', repository),
			ignoreFocusOut: true,
		},
	);
}

function asking<T>(label: string, run: () => Promise<T>): Promise<T> {
	return withProgress(vscode.l10n.t('Getting repositories from {0}…', label), run);
}
