import { pathToFileURL } from 'node:url';
import * as vscode from 'vscode';
import { ClientError } from '../../base/errors.ts';
import { decodedPart, repositoryKey } from '../../base/remoteUrl.ts';
import type { Client } from '../../client/types.ts';
import type { Consent, TaskCheck, TaskCheckRequest } from '../../contract/agents.ts';
import { errorText } from '../../platform/notify.ts';
import { withProgress } from '../../platform/progressNotice.ts';
import type { ServiceCheck } from '../model/findings.ts';
import type { TaskConnection } from '../model/taskConnection.ts';
import { consentsOf, type NeedsAnswers, type NeedsState } from '../model/taskNeeds.ts';

/**
 * A list of this length may be only one page: the contract names no paging, so it does not prove that a missing item
 * does not exist.
 */
const MAYBE_A_PAGE = 30;

/** A repository as a source host names it. */
interface HostedName {
	owner: string;
	name: string;
}

/**
 * Asks the service whether it knows the repository to be cloned, and which branches it sees there. Never rejects.
 * `nameFolder` registers a local folder with the local service first.
 */
export async function checkService(
	{ sources }: Pick<Client, 'sources'>,
	connection: TaskConnection,
	repoUrl: string,
	nameFolder: (folder: string) => Promise<void>,
): Promise<ServiceCheck> {
	try {
		const found = connection.isLocal
			? await findLocal(sources, repoUrl, nameFolder)
			: await findHosted(sources, repoUrl);
		if (found === undefined || found === 'unlisted') {
			return { kind: found === undefined ? 'not-asked' : 'unlisted' };
		}
		// A service may list a repository to which it no longer has access. Any other failure says nothing about it.
		const branches = await sources
			.branches(found.owner, found.name)
			.catch(error => (ClientError.is(error, 'not-found') ? ('unseen' as const) : undefined));
		if (branches === 'unseen') {
			return { kind: 'unlisted' };
		}
		return {
			kind: 'known',
			branches: new Set(branches?.map(({ name }) => name)),
			isWhole: branches !== undefined && branches.length < MAYBE_A_PAGE,
		};
	} catch (error) {
		if (ClientError.is(error, 'not-supported')) {
			return { kind: 'not-asked' };
		}
		return ClientError.is(error, 'source-link-missing')
			? { kind: 'no-link' }
			: { kind: 'failed', reason: errorText(error, connection.label) };
	}
}

async function findHosted(sources: Client['sources'], repoUrl: string): Promise<HostedName | 'unlisted' | undefined> {
	const parts = URL.parse(repoUrl)?.pathname.split('/').filter(Boolean).map(decodedPart) ?? [];
	const name = parts.pop()?.replace(/\.git$/, '');
	const owner = parts.join('/');
	if (!name || owner === '') {
		return undefined;
	}
	const key = repositoryKey(repoUrl);
	const listed = (await sources.repositories(owner)).find(
		({ clone_url, full_name }) =>
			(clone_url !== undefined && repositoryKey(clone_url) === key) ||
			full_name?.toLowerCase() === `${owner}/${name}`.toLowerCase(),
	);
	return listed ? { owner, name: listed.name } : 'unlisted';
}

async function findLocal(
	sources: Client['sources'],
	folder: string,
	nameFolder: (folder: string) => Promise<void>,
): Promise<HostedName | 'unlisted'> {
	await nameFolder(folder);
	const url = pathToFileURL(folder).href;
	for (const { login } of await sources.organisations()) {
		const listed = (await sources.repositories(login)).find(({ clone_url }) => clone_url === url);
		if (listed) {
			return { owner: login, name: listed.name };
		}
	}
	return 'unlisted';
}

export interface NeedsCheckDependencies {
	/** The connection's label. */
	label: string;
	/** Asks the local service. Undefined for a connection to another service. */
	checkTask: ((request: TaskCheckRequest) => Promise<TaskCheck>) | undefined;
	/** Called when the service has answered. */
	onAnswer(): void;
}

/** The needs of one launch, as the local service reports them, and the user's answers to them. */
export class NeedsCheck {
	private readonly dependencies: NeedsCheckDependencies;
	look: NeedsState = { kind: 'not-asked' };
	answers: NeedsAnswers = {};
	private repoUrl = '';
	private question: string | undefined;
	/** Resolves when the service has answered the latest question. */
	private answered: Promise<void> | undefined;

	constructor(dependencies: NeedsCheckDependencies) {
		this.dependencies = dependencies;
	}

	/** Asks once for each question. An answer by the user holds only for its repository. */
	ask(request: TaskCheckRequest): void {
		const { checkTask, onAnswer } = this.dependencies;
		const question = JSON.stringify(request);
		if (!checkTask || this.question === question) {
			return;
		}
		if (this.repoUrl !== request.repoUrl) {
			this.answers = {};
		}
		this.repoUrl = request.repoUrl;
		this.question = question;
		this.look = { kind: 'asking' };
		const answered = this.read(checkTask(request)).then(look => {
			if (this.answered === answered) {
				this.look = look;
				onAnswer();
			}
		});
		this.answered = answered;
	}

	/** Makes the next call of `ask` ask again, even if the question is the same. */
	forget(): void {
		this.question = undefined;
	}

	answer(answers: NeedsAnswers): void {
		this.answers = { ...this.answers, ...answers };
	}

	/** Resolves when the service has answered the latest question, or could not be asked. */
	async settled(): Promise<void> {
		if (this.look.kind === 'asking') {
			const title = vscode.l10n.t('Checking what the task needs on {0}…', this.dependencies.label);
			await withProgress(title, async () => this.answered, { isNotice: true });
		}
	}

	/** Returns the consents to be given to the service when the task starts. */
	consents(): Consent[] {
		return consentsOf(this.look, this.answers, this.repoUrl);
	}

	private async read(answer: Promise<TaskCheck>): Promise<NeedsState> {
		try {
			return { kind: 'known', check: await answer };
		} catch (error) {
			// An older service that is still running has no agents that need anything.
			if (ClientError.is(error, 'not-found')) {
				return { kind: 'not-asked' };
			}
			return { kind: 'failed', reason: errorText(error, this.dependencies.label) };
		}
	}
}
