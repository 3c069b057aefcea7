import * as vscode from 'vscode';
import { UserFacingError } from '../../base/errors.ts';
import type { Client } from '../../client/client.ts';
import type { TaskCreateRequest } from '../../contract/tasks.ts';
import { executeCommand } from '../../platform/commands.ts';
import type { GitApi, GitRepository } from '../../platform/git.ts';
import { commands } from '../../platform/ids.ts';
import type { TaskConnection } from '../register.ts';
import { askDuration } from './askDuration.ts';
import { type GitFacts, gatherFacts } from './gatherFacts.ts';
import { type LaunchChoices, readChoices, rememberChoices, settingsAgent } from './launchChoices.ts';
import { toRequest } from './launchRequest.ts';
import type { Branch } from './model/branches.ts';
import {
	type ChangeChoice,
	type CommitChoice,
	type Finding,
	findFindings,
	type LaunchFacts,
	type LaunchPlan,
	planLaunch,
	type ServiceLook,
} from './model/findings.ts';
import { pickAgents } from './pickAgents.ts';
import { chooseFirstBranch, type HostedBranch, pickBranch } from './pickBranch.ts';
import { pickRepository, repositoryName } from './pickRepository.ts';
import { Preflight, type PreflightRow } from './preflight.ts';
import { type FindingFix, preflightRows } from './preflightRows.ts';
import { choiceText, shortName } from './preflightWords.ts';
import { lookAtService } from './serviceLook.ts';

/** What the user has confirmed. Nothing of it has happened yet. */
export interface ConfirmedLaunch {
	git: GitApi;
	repository: GitRepository;
	plan: LaunchPlan;
	/** Without `selectedBranch` where that is a scratch branch which is yet to be made. */
	request: TaskCreateRequest;
}

export interface AskDependencies {
	globalState: vscode.Memento;
	connection: TaskConnection;
	client: Pick<Client, 'sources'>;
	/** Makes a folder known to the local service's look-ups. */
	nameFolder(folder: string): Promise<void>;
	/** The service said of the latest task that it ran without a source-hosting account. */
	isEmptyGitUser: boolean;
}

/** One preflight, from the first row to the yes. */
export class LaunchQuestion {
	private readonly dependencies: AskDependencies;
	private readonly git: GitApi;
	private readonly repositories: readonly GitRepository[];
	private readonly prompt: string;
	private readonly preflight: Preflight;
	private repository: GitRepository;
	private branch: Branch;
	private branches: readonly Branch[] = [];
	private facts: GitFacts | undefined;
	private choices: LaunchChoices;
	private look: { repoUrl: string; result: ServiceLook; answer: Promise<ServiceLook> } | undefined;

	constructor(
		dependencies: AskDependencies,
		git: GitApi,
		repositories: readonly GitRepository[],
		prompt: string,
		repository: GitRepository,
		branch: Branch,
	) {
		this.dependencies = dependencies;
		this.git = git;
		this.repositories = repositories;
		this.prompt = prompt;
		this.repository = repository;
		this.branch = branch;
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
			// Reading takes time: what is sent is what was shown, or it is shown again as it is now.
			await this.gather();
			const plan = this.plan();
			hasChanged = this.state() !== shown;
			if (plan && !hasChanged) {
				await rememberChoices(this.dependencies.globalState, this.connection, this.path, this.choices);
				return {
					git: this.git,
					repository: this.repository,
					plan,
					request: toRequest(this.connection, this.prompt, plan, this.choices),
				};
			}
		}
	}

	private get connection(): TaskConnection {
		return this.dependencies.connection;
	}

	private get path(): string {
		return this.repository.rootUri.fsPath;
	}

	private readChoices(): LaunchChoices {
		return readChoices(this.dependencies.globalState, this.connection, this.path);
	}

	/** Looks at the repository again; asks the service once for each address. */
	private async gather(): Promise<void> {
		const { facts, branch, branches } = await gatherFacts(
			this.git,
			this.repository,
			this.branch,
			this.connection.isLocal,
		);
		// One that only the service sees is not known to git here.
		if (!branch && this.branch.commit !== '') {
			throw new UserFacingError(
				vscode.l10n.t(
					'Branch “{0}” is gone. Start the task again and choose another; the prompt is kept.',
					shortName(this.branch.name),
				),
			);
		}
		this.facts = facts;
		this.branch = branch ?? this.branch;
		this.branches = branches;
		if (facts.target.ok) {
			this.askService(facts.target.repoUrl);
		}
	}

	private askService(repoUrl: string): void {
		if (this.look?.repoUrl === repoUrl) {
			return;
		}
		const { client, nameFolder } = this.dependencies;
		const answer = lookAtService(client, this.connection, repoUrl, nameFolder);
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

	/** All that a yes is a yes to; two of them are equal as texts. */
	private state(): string {
		return JSON.stringify([this.plan(), this.facts?.changed]);
	}

	private rows(): PreflightRow[] {
		const facts = this.launchFacts();
		const plan = this.plan();
		const { connection, choices, repository, repositories, branch, prompt } = this;
		return preflightRows({
			prompt,
			connection,
			choices,
			repository: repositoryName(repository),
			hasOtherRepositories: repositories.length > 1,
			branch: branch.name,
			facts,
			plan,
			findings: this.findings(),
			fixesOf: finding => this.fixes(finding),
		});
	}

	/** What else can be done about a finding. Resolving with `leave` ends the launch. */
	private fixes(finding: Finding): FindingFix[] {
		const switchConnection = {
			icon: 'plug',
			title: vscode.l10n.t('Switch Connection'),
			run: async () => {
				await executeCommand(commands.switchConnection);
				// What was asked and confirmed for one connection is never sent to another.
				return 'leave';
			},
		};
		const chooseBranch = {
			icon: 'git-branch',
			title: vscode.l10n.t('Choose Another Branch'),
			run: () => this.change('branch'),
		};
		const askAgain = {
			icon: 'refresh',
			title: vscode.l10n.t('Ask Again'),
			run: () => {
				this.look = undefined;
				return this.gather();
			},
		};
		const { dashboardUrl } = this.connection;
		const openDashboard =
			dashboardUrl === undefined
				? []
				: [
						{
							icon: 'link-external',
							title: vscode.l10n.t('Open Dashboard'),
							run: () => vscode.env.openExternal(vscode.Uri.parse(dashboardUrl, true)),
						},
					];
		switch (finding.kind) {
			case 'no-remote':
				return [
					{
						icon: 'cloud-upload',
						title: vscode.l10n.t('Publish Branch'),
						run: async () => {
							await vscode.commands.executeCommand('git.publish', this.repository.rootUri);
							await this.gather();
						},
					},
					switchConnection,
				];
			case 'unusable-remote':
				return [switchConnection];
			case 'only-on-remote':
			case 'unsafe-name':
				return [chooseBranch];
			case 'not-on-remote':
			case 'unpushed':
				return finding.choices
					.filter(choice => choice !== finding.chosen)
					.map((choice: CommitChoice) => ({
						icon: 'arrow-swap',
						title: choiceText(choice, finding.kind),
						run: () => this.choose({ commits: choice }),
					}));
			case 'changes':
				return finding.choices
					.filter(choice => choice !== finding.chosen)
					.map((choice: ChangeChoice) => ({
						icon: 'arrow-swap',
						title: choiceText(choice, finding.kind),
						run: () => this.choose({ changes: choice }),
					}));
			case 'empty-git-user':
				return openDashboard;
			case 'service':
				return finding.look.kind === 'known' || finding.look.kind === 'asking' ? [] : [askAgain, ...openDashboard];
			default:
				return [];
		}
	}

	/** The branches that the service sees and git here does not know. */
	private async hostedBranches(): Promise<HostedBranch[]> {
		const target = this.facts?.target;
		const look = await this.look?.answer;
		if (!target?.ok || target.kind !== 'remote' || target.remote === undefined || look?.kind !== 'known') {
			return [];
		}
		const { remote } = target;
		const fetched = new Set(this.branches.filter(branch => branch.remote === remote).map(({ name }) => name));
		return [...look.branches]
			.filter(name => !fetched.has(name))
			.map(name => ({ name, remote, seenBy: this.connection.label }));
	}

	private choose(change: Partial<LaunchChoices>): void {
		this.choices = { ...this.choices, ...change };
	}

	/** Changes what a row stands for, or does what helps with its finding. */
	private async change(id: string): Promise<unknown> {
		switch (id) {
			case 'repository': {
				this.repository = (await pickRepository(this.repositories)) ?? this.repository;
				const branch = await chooseFirstBranch(this.git, this.repository, undefined);
				this.branch = branch ?? this.branch;
				this.choices = this.readChoices();
				return branch ? this.gather() : 'leave';
			}
			case 'branch':
				this.branch = (await pickBranch(this.repository, this.branches, this.hostedBranches())) ?? this.branch;
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
