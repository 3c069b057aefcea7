import * as vscode from 'vscode';
import type { Client } from '../../client/types.ts';
import type { TaskCreateRequest } from '../../contract/tasks.ts';
import {
	type Finding,
	findFindings,
	type LaunchFacts,
	type LaunchPlan,
	planLaunch,
	type ServiceCheck,
} from '../model/findings.ts';
import type { TaskConnection } from '../model/taskConnection.ts';
import { askDuration } from './askDuration.ts';
import type { GitFacts } from './gatherFacts.ts';
import { type LaunchChoices, readChoices, rememberChoices, settingsAgent } from './launchChoices.ts';
import { findingFixes } from './launchFixes.ts';
import { toRequest } from './launchRequest.ts';
import type { LaunchSubject, OpenedRepository } from './launchSubject.ts';
import { pickAgents } from './pickAgents.ts';
import { pickSubject, type SubjectChoice } from './pickSubject.ts';
import { Preflight, type PreflightRow } from './preflight.ts';
import { type FindingFix, preflightRows } from './preflightRows.ts';
import { checkService } from './serviceCheck.ts';

/** What the user has confirmed. None of it has been done yet. */
export interface ConfirmedLaunch {
	/** Undefined where the repository is not open in this window, so that there is nothing to push. */
	opened: OpenedRepository | undefined;
	plan: LaunchPlan;
	/** Has no `selectedBranch` where that is a scratch branch that does not exist yet. */
	request: TaskCreateRequest;
}

export interface AskDependencies {
	globalState: vscode.Memento;
	connection: TaskConnection;
	client: Pick<Client, 'sources'>;
	/** Registers a folder for the local service's look-ups. */
	nameFolder(folder: string): Promise<void>;
	/** The service reported that the latest task ran without a source-hosting account. */
	isEmptyGitUser: boolean;
	explain(error: unknown): void;
}

/** One preflight, from the first row to the user's confirmation. */
export class LaunchQuestion {
	private readonly dependencies: AskDependencies;
	private readonly subjects: SubjectChoice;
	private readonly prompt: string;
	private readonly preflight: Preflight;
	private subject: LaunchSubject;
	private facts: GitFacts | undefined;
	private choices: LaunchChoices;
	private look: { repoUrl: string; result: ServiceCheck; answer: Promise<ServiceCheck> } | undefined;

	constructor(dependencies: AskDependencies, subjects: SubjectChoice, prompt: string, subject: LaunchSubject) {
		this.dependencies = dependencies;
		this.subjects = subjects;
		this.prompt = prompt;
		this.subject = subject;
		this.choices = this.readChoices();
		this.preflight = new Preflight(vscode.l10n.t('Start Task on {0}', dependencies.connection.label));
	}

	async ask(): Promise<ConfirmedLaunch | 'edit-prompt' | undefined> {
		await this.gather();
		let hasChanged = false;
		for (let active = 'start'; ; ) {
			const shown = this.state();
			const taken = await this.preflight.ask(this.rows(), active, hasChanged);
			hasChanged = false;
			if (taken === undefined) {
				return undefined;
			}
			if (taken === 'prompt') {
				return 'edit-prompt';
			}
			active = taken;
			if (taken !== 'start') {
				if ((await this.change(taken)) === 'leave') {
					return undefined;
				}
				continue;
			}
			// Reading the repository takes time. What is sent must be what was shown; otherwise the new state is shown again.
			await this.gather();
			const plan = this.plan();
			hasChanged = this.state() !== shown;
			if (plan && !hasChanged) {
				await rememberChoices(this.dependencies.globalState, this.connection, this.subject.key, this.choices);
				return {
					opened: this.subject.opened,
					plan,
					request: toRequest(this.connection, this.prompt, plan, this.choices),
				};
			}
		}
	}

	private get connection(): TaskConnection {
		return this.dependencies.connection;
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
		const { client, nameFolder } = this.dependencies;
		const answer = checkService(client, this.connection, repoUrl, nameFolder);
		const look: NonNullable<typeof this.look> = { repoUrl, result: { kind: 'asking' }, answer };
		this.look = look;
		void answer.then(result => {
			look.result = result;
			if (this.look === look) {
				this.preflight.update(this.rows());
			}
		});
	}

	private launchFacts(): LaunchFacts | undefined {
		return (
			this.facts && {
				...this.facts,
				service: this.look?.result ?? { kind: 'not-asked' },
				isEmptyGitUser: this.dependencies.isEmptyGitUser,
				unknownAgent: settingsAgent(this.connection).unknown,
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
		return JSON.stringify([this.plan(), this.facts?.changed]);
	}

	private rows(): PreflightRow[] {
		const facts = this.launchFacts();
		const plan = this.plan();
		const { connection, choices, subject, prompt } = this;
		return preflightRows({
			prompt,
			connection,
			choices,
			repository: subject.name,
			hasOtherRepositories: connection.hasLookUps || this.subjects.repositories.length > 1,
			branch: subject.branch,
			facts,
			plan,
			findings: this.findings(),
			fixesOf: finding => this.fixes(finding),
		});
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
				return this.gather();
			},
		});
	}

	private choose(change: Partial<LaunchChoices>): void {
		this.choices = { ...this.choices, ...change };
	}

	/** Keeps the current repository when dismissed, or where there is nothing to choose from, which is reported. */
	private async chooseRepository(): Promise<void> {
		const subject = await pickSubject(this.subjects).catch(error => this.dependencies.explain(error));
		if (subject) {
			this.subject = subject;
			this.choices = this.readChoices();
			await this.gather();
		}
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
				return this.choose({ agents: (await pickAgents(this.connection, this.choices.agents)) ?? this.choices.agents });
			case 'dependencies':
				return this.choose({ installDependencies: !this.choices.installDependencies });
			case 'duration':
				return this.choose({ maxDuration: await askDuration(this.choices.maxDuration) });
			default: {
				const finding = this.findings().find(({ kind }) => kind === id);
				const fixes = finding ? this.fixes(finding) : [];
				const [fix] = fixes.length > 1 ? [await pickFix(fixes)] : fixes;
				return fix?.run();
			}
		}
	}
}

async function pickFix<T extends { icon: string; title: string }>(fixes: readonly T[]): Promise<T | undefined> {
	const picked = await vscode.window.showQuickPick(
		fixes.map(fix => ({ label: `$(${fix.icon}) ${fix.title}`, fix })),
		{ title: vscode.l10n.t('Start Task: What to Do Instead'), ignoreFocusOut: true },
	);
	return picked?.fix;
}
