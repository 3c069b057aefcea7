import * as vscode from 'vscode';
import type { TaskCreateRequest } from '../../contract/tasks.ts';
import { PickList } from '../../platform/pick.ts';
import {
	type Finding,
	findFindings,
	type LaunchFacts,
	type LaunchPlan,
	planLaunch,
	type ServiceCheck,
} from '../model/findings.ts';
import type { TaskConnection } from '../model/taskConnection.ts';
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
import { pickSubject, type SubjectChoice } from './pickSubject.ts';
import { type FindingFix, findingFixes, type PreflightRow, preflightRows } from './preflightRows.ts';
import { checkService } from './serviceCheck.ts';

/** What the user has confirmed. None of it has been done yet. */
export interface ConfirmedLaunch {
	/** Undefined where the repository is not open in this window, so that there is nothing to push. */
	opened: OpenedRepository | undefined;
	plan: LaunchPlan;
	/** Has no `selectedBranch` where that is a scratch branch that does not exist yet. */
	request: TaskCreateRequest;
}

export interface PreflightDependencies {
	subjects: SubjectChoice;
	globalState: vscode.Memento;
	/** Registers a folder for the local service's look-ups. */
	nameFolder(folder: string): Promise<void>;
	/** The service reported that the latest task ran without a source-hosting account. */
	isEmptyGitUser: boolean;
	explain(error: unknown): void;
}

/** One preflight, from the first row to the user's confirmation. */
export class Preflight {
	private readonly dependencies: PreflightDependencies;
	private readonly prompt: string;
	private readonly list: PreflightList;
	private subject: LaunchSubject;
	private facts: GitFacts | undefined;
	private choices: LaunchChoices;
	private look: { repoUrl: string; result: ServiceCheck; answer: Promise<ServiceCheck> } | undefined;

	constructor(dependencies: PreflightDependencies, prompt: string, subject: LaunchSubject) {
		this.dependencies = dependencies;
		this.prompt = prompt;
		this.subject = subject;
		this.choices = this.readChoices();
		this.list = new PreflightList(vscode.l10n.t('Start Task on {0}', this.connection.label));
	}

	/**
	 * Shows everything that affects the task, lets the user change it, and resolves with what was confirmed. `edit-prompt`:
	 * the user wants to continue writing. Resolves with undefined when dismissed.
	 */
	async ask(): Promise<ConfirmedLaunch | 'edit-prompt' | undefined> {
		await this.gather();
		let hasChanged = false;
		for (let active = 'start'; ; ) {
			const shown = this.state();
			const taken = await this.list.ask(this.rows(), active, hasChanged);
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
				this.list.update(this.rows());
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
			hasOtherRepositories: connection.hasLookUps || this.dependencies.subjects.repositories.length > 1,
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
		const subject = await pickSubject(this.dependencies.subjects).catch(error => this.dependencies.explain(error));
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

/**
 * The list that the user confirms before the request is sent. A launch uses the same kind of list throughout, so that
 * nothing jumps.
 */
export class PreflightList {
	private list: PickList<PreflightRow, string> | undefined;
	private readonly title: string;

	constructor(title: string) {
		this.title = title;
	}

	/**
	 * Shows the rows and resolves with the id of the one that was chosen with Enter or by its button, or with undefined
	 * when dismissed. `active` is the row that Enter chooses, or the last row where it does not exist. `hasChanged` says
	 * that what was shown last no longer holds.
	 */
	ask(rows: readonly PreflightRow[], active: string, hasChanged: boolean): Promise<string | undefined> {
		const list = new PickList<PreflightRow, string>(picker => {
			picker.title = this.title;
			picker.placeholder = hasChanged
				? vscode.l10n.t('The repository has changed meanwhile. Look again, then start.')
				: vscode.l10n.t('Enter on “Start Task” sends it. Enter on another row changes that row.');
			picker.ignoreFocusOut = true;
			picker.matchOnDetail = true;
			picker.onDidAccept(() => {
				const id = picker.activeItems[0]?.id;
				if (id) {
					list.end(id);
				}
			});
			picker.onDidTriggerItemButton(({ item }) => list.end(item.id));
		});
		this.list = list;
		list.show(rows, rows.find(({ id }) => id === active) ?? rows.at(-1));
		return list.result;
	}

	/** Draws the rows again while the list is open, and keeps the active one. */
	update(rows: readonly PreflightRow[]): void {
		const shown = this.list?.current;
		if (shown) {
			const active = shown.activeItems[0]?.id;
			// Without an active row the editor uses the first, which sends nothing.
			this.list?.show(
				rows,
				rows.find(({ id }) => id === active),
			);
		}
	}
}
