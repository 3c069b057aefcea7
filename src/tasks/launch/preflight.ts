import * as vscode from 'vscode';
import type { Consent, TaskCheck, TaskCheckRequest } from '../../contract/agents.ts';
import type { TaskCreateRequest } from '../../contract/tasks.ts';
import { executeCommand } from '../../platform/commands.ts';
import { commands } from '../../platform/ids.ts';
import { readSetting } from '../../platform/settings.ts';
import {
	type Finding,
	findFindings,
	isBlocker,
	type LaunchFacts,
	type LaunchPlan,
	planLaunch,
	type ServiceCheck,
} from '../model/findings.ts';
import type { TaskConnection } from '../model/taskConnection.ts';
import { needsFindings } from '../model/taskNeeds.ts';
import type { FindingFix } from './findingText.ts';
import {
	askDuration,
	type LaunchChoices,
	pickAgents,
	readChoices,
	rememberChoices,
	settingsAgent,
	toRequest,
} from './launchChoices.ts';
import type { GitFacts, LaunchSubject, OpenedRepository } from './launchSubject.ts';
import { NeedsCheck } from './needsCheck.ts';
import { pickSubject, type SubjectChoice } from './pickSubject.ts';
import { PreflightList, pickFix } from './preflightList.ts';
import { findingFixes, findingLabel, type PreflightRow, type PreflightView, preflightRows } from './preflightRows.ts';
import { checkService } from './serviceCheck.ts';

/** What the user has confirmed. None of it has been done yet. */
export interface ConfirmedLaunch {
	/** Undefined where the repository is not open in this window, so that there is nothing to push. */
	opened: OpenedRepository | undefined;
	plan: LaunchPlan;
	/** Has no `selectedBranch` where that is a scratch branch that does not exist yet. */
	request: TaskCreateRequest;
	/** What the local service is to be told before the request is sent. */
	consents: readonly Consent[];
}

export interface PreflightDependencies {
	subjects: SubjectChoice;
	globalState: vscode.Memento;
	/** Registers a folder for the local service's look-ups. */
	nameFolder(folder: string): Promise<void>;
	/** Returns the agents that the connection has now. */
	readAgents(): Promise<TaskConnection['agents']>;
	/** Asks the local service what a task would need. */
	checkTask(request: TaskCheckRequest): Promise<TaskCheck>;
	/** The service reported that the latest task ran without a source-hosting account. */
	isEmptyGitUser: boolean;
	explain(error: unknown): void;
}

/** One preflight, from the first row to the user's confirmation. */
export class Preflight {
	private readonly dependencies: PreflightDependencies;
	private readonly prompt: string;
	private readonly list: PreflightList;
	private readonly needs: NeedsCheck;
	private subject: LaunchSubject;
	private facts: GitFacts | undefined;
	private choices: LaunchChoices;
	/** The state that the rows show. */
	private shown = '';
	private look: { repoUrl: string; result: ServiceCheck; answer: Promise<ServiceCheck> } | undefined;

	constructor(dependencies: PreflightDependencies, prompt: string, subject: LaunchSubject) {
		this.dependencies = dependencies;
		this.prompt = prompt;
		this.subject = subject;
		this.choices = this.readChoices();
		this.list = new PreflightList(vscode.l10n.t('Start Task on {0}', this.connection.label));
		const { isLocal, label } = this.connection;
		this.needs = new NeedsCheck({
			label,
			checkTask: isLocal ? request => dependencies.checkTask(request) : undefined,
			onAnswer: () => {
				// Rows that are drawn again without need could be in the way of a key.
				if (this.launchFacts()?.needs.length) {
					this.update();
				}
			},
		});
	}

	/**
	 * Shows everything that affects the task, lets the user change it, and resolves with what was confirmed. `edit-prompt`:
	 * the user wants to continue writing. Resolves with undefined when dismissed.
	 */
	async ask(): Promise<ConfirmedLaunch | 'edit-prompt' | undefined> {
		await this.gather();
		let hasChanged = false;
		for (let active = 'start'; ; ) {
			this.askNeeds();
			this.shown = this.state();
			const taken = await this.list.ask(this.rows(), active, hasChanged);
			hasChanged = false;
			if (taken === undefined) {
				return undefined;
			}
			if (taken === 'prompt') {
				return 'edit-prompt';
			}
			active = taken;
			// The last row leads to what prevents the task.
			const blocker = this.findings().find(isBlocker)?.kind;
			if (taken !== 'start' || blocker) {
				if ((await this.change(taken === 'start' && blocker ? blocker : taken)) === 'leave') {
					return undefined;
				}
				continue;
			}
			// Reading the repository takes time. What is sent must be what was shown; otherwise the new state is shown again.
			await this.gather();
			this.askNeeds();
			await this.needs.settled();
			const plan = this.plan();
			hasChanged = this.state() !== this.shown;
			if (plan && !hasChanged) {
				await rememberChoices(this.dependencies.globalState, this.connection, this.subject.key, this.choices);
				return {
					opened: this.subject.opened,
					plan,
					request: toRequest(this.connection, this.prompt, plan, this.choices),
					consents: this.needs.consents(),
				};
			}
		}
	}

	private get connection(): TaskConnection {
		return this.dependencies.subjects.connection;
	}

	private readChoices(): LaunchChoices {
		return readChoices(this.dependencies.globalState, this.connection, this.subject.key);
	}

	/** Reads the repository again, and asks the service once for each address. */
	private async gather(): Promise<void> {
		this.facts = await this.subject.gather();
		if (this.facts.target.ok) {
			this.askService(this.facts.target.repoUrl);
		}
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
				this.update();
			}
		});
	}

	/** Draws the rows again while they are shown. */
	private update(): void {
		if (this.list.update(this.rows())) {
			this.shown = this.state();
		}
	}

	private askNeeds(): void {
		const { facts, choices } = this;
		const defaultModel = (id: string | undefined) => this.connection.agents.find(agent => agent.id === id)?.models[0];
		if (facts?.target.ok) {
			this.needs.ask({
				repoUrl: facts.target.repoUrl,
				selectedBranch: facts.target.branch,
				agents: [...new Set(choices.agents.flatMap(({ agent }) => agent ?? []))],
				models: [...new Set(choices.agents.flatMap(({ agent, model }) => model ?? defaultModel(agent) ?? []))],
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

	private findings(): Finding[] {
		const facts = this.launchFacts();
		return facts ? findFindings(facts, this.choices) : [];
	}

	private plan(): LaunchPlan | undefined {
		const facts = this.launchFacts();
		return facts && planLaunch(facts, this.choices);
	}

	/** Everything that a confirmation covers. Equal states are equal strings. */
	private state(): string {
		// That the service could not be asked is nothing that could be confirmed.
		const needs = this.launchFacts()?.needs.filter(({ kind }) => kind !== 'needs-unknown');
		return JSON.stringify([this.plan(), this.facts?.changed, needs]);
	}

	private rows(): PreflightRow[] {
		return preflightRows(this.view());
	}

	private view(): PreflightView {
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
			fixesOf: finding => this.fixes(finding),
		};
	}

	private fixes(finding: Finding): FindingFix[] {
		return findingFixes(finding, {
			folder: this.subject.opened?.repository.rootUri,
			dashboardUrl: this.connection.dashboardUrl,
			decide: decision => this.choose(decision),
			chooseBranch: () => this.change('branch'),
			gather: () => this.gather(),
			askAgain: () => {
				this.look = undefined;
				this.needs.forget();
				return this.gather();
			},
			answer: answers => this.needs.answer(answers),
			chooseAgents: () => this.change('agents'),
			skipDependencies: () => this.choose({ installDependencies: false }),
		});
	}

	private choose(change: Partial<LaunchChoices>): void {
		this.choices = { ...this.choices, ...change };
	}

	/** Keeps the current repository when dismissed, or where there is nothing to choose from, which is reported. */
	private async chooseRepository(): Promise<void> {
		const subject = await pickSubject(this.dependencies.subjects).catch(error => this.dependencies.explain(error));
		if (subject) {
			this.subject = subject;
			this.choices = this.readChoices();
			await this.gather();
		}
	}

	/** With a model server there are other agents, so they are read again. */
	private async chooseAgents(): Promise<void> {
		const picked = await pickAgents(this.connection, this.choices.agents);
		if (picked !== 'add-server') {
			return this.choose({ agents: picked ?? this.choices.agents });
		}
		await executeCommand(commands.addModelServer);
		this.connection.agents = await this.dependencies.readAgents();
		return this.choose({ agents: this.readChoices().agents });
	}

	/** Changes the choice of a row, or applies a fix for its finding. */
	private async change(id: string): Promise<unknown> {
		switch (id) {
			case 'repository':
				return this.chooseRepository();
			case 'branch':
				await this.subject.chooseBranch(this.facts, this.look?.answer);
				return this.gather();
			case 'agents':
				return this.chooseAgents();
			case 'dependencies':
				return this.choose({ installDependencies: !this.choices.installDependencies });
			case 'duration':
				return this.choose({ maxDuration: await askDuration(this.choices.maxDuration) });
			default: {
				const finding = this.findings().find(({ kind }) => kind === id);
				const fixes = finding ? this.fixes(finding) : [];
				const [fix] = finding && fixes.length > 1 ? [await pickFix(fixes, findingLabel(this.view(), finding))] : fixes;
				return fix?.run();
			}
		}
	}
}
