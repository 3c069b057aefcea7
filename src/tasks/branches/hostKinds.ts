import * as vscode from 'vscode';
import { type HostKind, hostKindOf, hostOf } from '../model/comparePage.ts';
import type { Dialogs } from './dialogs.ts';

const KEY = 'errand.tasks.hostKinds';
const MAXIMUM_HOSTS = 100;

/** The names of the products, which are the same in every language. */
const NAMES: Readonly<Record<HostKind, string>> = {
	github: 'GitHub Enterprise',
	gitlab: 'GitLab',
	gitea: 'Gitea, Forgejo',
	bitbucketServer: 'Bitbucket Data Center',
	azure: 'Azure DevOps Server',
	bitbucket: 'Bitbucket Cloud',
};

/**
 * Returns what the host of a remote runs: by its name, as the user has said before, or as the user says now, which is
 * remembered. Resolves with undefined when dismissed, and where the address names no host.
 */
export async function findHostKind(
	address: string,
	globalState: vscode.Memento,
	dialogs: Dialogs,
): Promise<HostKind | undefined> {
	const host = hostOf(address);
	const known = hostKindOf(address);
	if (host === undefined || known !== undefined) {
		return known;
	}
	const kinds = globalState.get<Record<string, unknown>>(KEY, {});
	const remembered = Object.hasOwn(kinds, host) ? kinds[host] : undefined;
	if (isHostKind(remembered)) {
		return remembered;
	}
	const chosen = await dialogs.choose(
		vscode.l10n.t('Open Pull Request'),
		Object.entries(NAMES)
			.filter(([kind]) => kind !== 'bitbucket')
			.map(([kind, label]) => ({ label, value: kind as HostKind })),
		{ placeHolder: vscode.l10n.t('What does {0} run? The answer is remembered.', host) },
	);
	if (chosen !== undefined) {
		const others = Object.entries(kinds).filter(([name]) => name !== host);
		await globalState.update(KEY, Object.fromEntries([...others.slice(-(MAXIMUM_HOSTS - 1)), [host, chosen]]));
	}
	return chosen;
}

function isHostKind(value: unknown): value is HostKind {
	return typeof value === 'string' && Object.hasOwn(NAMES, value);
}
