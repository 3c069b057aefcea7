import type * as vscode from 'vscode';
import type { ChatView, OfferedServer } from '../../chat/api.ts';
import type { Consent, TaskCheck, TaskCheckRequest } from '../../contract/agents.ts';
import { DEMO_SLUGS } from '../../contract/localConnection.ts';
import type { TaskCreateRequest } from '../../contract/tasks.ts';
import { readSetting } from '../../platform/settings.ts';
import {
	findFindings,
	type LaunchFacts,
	type LaunchPlan,
	type PreflightFinding,
	planLaunch,
	type ServiceCheck,
} from '../model/findings.ts';
import type { TaskConnection } from '../model/taskConnection.ts';
import { needsFindings } from '../model/taskNeeds.ts';
import {
	type LaunchChoices,
	modelOf,
	readChoices,
	rememberChoices,
	settingsAgent,
	toRequest,
} from './launchChoices.ts';
import type { GitFacts, LaunchSubject, OpenedRepository } from './launchSubject.ts';
import type { SubjectChoice } from './pickSubject.ts';
import type { FindingFix, PreflightView, ServerChoice } from './preflightList.ts';
import { checkService, NeedsCheck } from './serviceCheck.ts';

/** The launch that the user has confirmed. None of it has been carried out yet. */
export interface ConfirmedLaunch {
	/** Undefined if the repository is not open in this window, so that there is nothing to push. */
	opened: OpenedRepository | undefined;
	plan: LaunchPlan;
	/** Has no `selectedBranch` if that is a scratch branch that does not exist yet. */
	request: TaskCreateRequest;
	/** The consents that the local service must get before the request is sent. */
	consents: readonly Consent[];
	/** The MCP servers that the agents get. */
	servers: readonly OfferedServer[];
}

export interface LaunchCheckDependencies {
	subjects: SubjectChoice;
	globalState: vscode.Memento;
	/** Registers a folder for the local service's look-ups. */
	nameFolder(folder: string): Promise<void>;
	/** Asks the local service for the needs of a task. */
	checkTask(request: TaskCheckRequest): Promise<TaskCheck>;
	/** Resolves to the MCP servers that the agents of a task on this machine may be given. */
	serversForTasks: ChatView['serversForTasks'];
	/** True if the service reported that the latest task ran without a source-hosting account. */
	isEmptyGitUser: boolean;
}

/** All known facts that affect one launch, with their consequences. Shows and does nothing. */
export class LaunchCheck {
	readonly prompt: string;
	readonly needs: NeedsCheck;
	subject: LaunchSubject;
	choices: LaunchChoices;
	/** Undefined until the repository has been read. */
	facts: GitFacts | undefined;
	private readonly dependencies: LaunchCheckDependencies;
	private readonly onNews: () => void;
	private offered: readonly OfferedServer[] = [];
	private look: { repoUrl: string; result: ServiceCheck; answer: Promise<ServiceCheck> } | undefined;

	/** `onNews` is called after the service has answered. */
	constructor(dependencies: LaunchCheckDependencies, prompt: string, subject: LaunchSubject, onNews: () => void) {
		this.dependencies = dependencies;
		this.prompt = prompt;
		this.subject = subject;
		this.onNews = onNews;
		this.choices = this.readChoices();
		const { isLocal, label } = this.connection;
		this.needs = new NeedsCheck({
			label,
			checkTask: isLocal ? request => dependencies.checkTask(request) : undefined,
			onAnswer: () => {
				// Unnecessary redrawing of rows could interfere with the user's keys.
				if (this.launchFacts()?.needs.length) {
					onNews();
				}
			},
		});
	}

	get connection(): TaskConnection {
		return this.dependencies.subjects.connection;
	}

	/** The service's answer about the repository; undefined if it was not asked. */
	get serviceAnswer(): Promise<ServiceCheck> | undefined {
		return this.look?.answer;
	}

	/** Returns the user's last choices for this repository. */
	readChoices(): LaunchChoices {
		return readChoices(this.dependencies.globalState, this.connection, this.subject.key);
	}

	choose(change: Partial<LaunchChoices>): void {
		this.choices = { ...this.choices, ...change };
	}

	/** Reads the repository again, and asks the service once for each address. */
	async gather(): Promise<void> {
		const { serversForTasks } = this.dependencies;
		this.facts = await this.subject.gather();
		this.offered = this.connection.isLocal ? await serversForTasks(this.subject.opened?.repository.rootUri.fsPath) : [];
		if (this.facts.target.ok) {
			this.askService(this.facts.target.repoUrl);
		}
	}

	/** Like `gather`, but asks the service again. */
	askAgain(): Promise<void> {
		this.look = undefined;
		this.needs.forget();
		return this.gather();
	}

	private askService(repoUrl: string): void {
		if (this.look?.repoUrl === repoUrl) {
			return;
		}
		const { subjects, nameFolder } = this.dependencies;
		const answer = checkService(subjects.client, this.connection, repoUrl, nameFolder);
		const look: NonNullable<typeof this.look> = { repoUrl, result: { kind: 'asking' }, answer };
		this.look = look;
		void answer.then(result => {
			look.result = result;
			if (this.look === look) {
				this.onNews();
			}
		});
	}

	/** Asks the local service for the needs of the task with the present choices. */
	askNeeds(): void {
		const { facts, choices } = this;
		if (facts?.target.ok) {
			this.needs.ask({
				repoUrl: facts.target.repoUrl,
				selectedBranch: facts.target.branch,
				agents: [...new Set(choices.agents.flatMap(({ agent }) => agent ?? []))],
				models: [...new Set(choices.agents.flatMap(choice => modelOf(this.connection, choice) ?? []))],
				installDependencies: choices.installDependencies,
			});
		}
	}

	private launchFacts(): LaunchFacts | undefined {
		return (
			this.facts && {
				...this.facts,
				service: this.look?.result ?? { kind: 'not-asked' },
				isEmptyGitUser: this.dependencies.isEmptyGitUser,
				unknownAgent: settingsAgent(this.connection).unknown,
				needs: this.facts.target.ok
					? needsFindings(this.needs.look, this.needs.answers, {
							installDependencies: this.choices.installDependencies,
							isSandboxRequired: readSetting('errand.local.sandbox') === 'require',
						})
					: [],
			}
		);
	}

	/** Returns the MCP servers that the task may have. A demo uses none, and an older service takes none. */
	servers(): ServerChoice[] {
		const { look } = this.needs;
		const { agents, leftOut = [] } = this.choices;
		const isDemo = agents.length > 0 && agents.every(({ agent }) => agent !== undefined && DEMO_SLUGS.has(agent));
		const isOlder = look.kind === 'not-asked' || (look.kind === 'known' && !look.check.takesServers);
		const isOutside = look.kind === 'known' && !look.check.sandbox.works;
		const useOf = ({ name, isAllowed }: OfferedServer): ServerChoice['use'] => {
			if (isOutside) {
				return 'no-sandbox';
			}
			if (leftOut.includes(name)) {
				return 'left-out';
			}
			return isAllowed ? 'used' : 'not-allowed';
		};
		return (isDemo || isOlder ? [] : this.offered).map(server => ({ server, use: useOf(server) }));
	}

	/** Asks about a server that the user has not agreed to, and otherwise takes it along or leaves it out. */
	async changeServer({ server, use }: ServerChoice): Promise<void> {
		const { leftOut = [] } = this.choices;
		const others = leftOut.filter(name => name !== server.name);
		if (use === 'not-allowed') {
			await server.ask();
			await this.gather();
		} else if (use !== 'no-sandbox') {
			this.choose({ leftOut: use === 'used' ? [...others, server.name] : others });
		}
	}

	private usedServers(): OfferedServer[] {
		return this.servers().flatMap(({ server, use }) => (use === 'used' ? [server] : []));
	}

	findings(): PreflightFinding[] {
		const facts = this.launchFacts();
		return facts ? findFindings(facts, this.choices) : [];
	}

	/** Returns undefined while something prevents the task. */
	plan(): LaunchPlan | undefined {
		const facts = this.launchFacts();
		return facts && planLaunch(facts, this.choices);
	}

	/** Returns everything that a confirmation covers. Equal states are equal strings. */
	state(): string {
		// If the service could not be asked, its needs are not part of the confirmation.
		const needs = this.launchFacts()?.needs.filter(({ kind }) => kind !== 'needs-unknown');
		const servers = this.usedServers().map(({ name, digest }) => [name, digest]);
		return JSON.stringify([this.plan(), this.facts?.changed, needs, servers]);
	}

	/** Returns the contents of the rows and sentences about the launch. */
	view(fixesOf: (finding: PreflightFinding) => readonly FindingFix[]): PreflightView {
		const facts = this.launchFacts();
		const plan = this.plan();
		const { connection, choices, subject, prompt } = this;
		return {
			prompt,
			connection,
			choices,
			repository: subject.name,
			hasOtherRepositories: connection.hasLookUps || this.dependencies.subjects.repositories.length > 1,
			branch: subject.branch,
			facts,
			plan,
			findings: this.findings(),
			servers: this.servers(),
			fixesOf,
		};
	}

	/** Keeps the choices for the next launch of this repository. */
	remember(): Promise<void> {
		return rememberChoices(this.dependencies.globalState, this.connection, this.subject.key, this.choices);
	}

	/** Returns the launch that a yes to the present state covers. */
	confirmed(plan: LaunchPlan): ConfirmedLaunch {
		return {
			opened: this.subject.opened,
			plan,
			request: toRequest(this.connection, this.prompt, plan, this.choices),
			consents: this.needs.consents(),
			servers: this.usedServers(),
		};
	}
}
