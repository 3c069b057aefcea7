import * as vscode from 'vscode';
import { executeCommand } from '../../platform/commands.ts';
import { placeOf } from '../../platform/git.ts';
import { commands } from '../../platform/ids.ts';
import { getMissingFiles } from '../../platform/partialClone.ts';
import { isBlocker, type PreflightFinding } from '../model/findings.ts';
import type { TaskConnection } from '../model/taskConnection.ts';
import { type ConfirmedLaunch, LaunchCheck, type LaunchCheckDependencies } from './launchCheck.ts';
import { askDuration, pickAgents } from './launchChoices.ts';
import type { LaunchSubject } from './launchSubject.ts';
import { pickSubject } from './pickSubject.ts';
import { findingFixes } from './preflightFixes.ts';
import {
	type FindingFix,
	findingLabel,
	PreflightList,
	type PreflightRow,
	type PreflightView,
	pickFix,
	preflightRows,
	serverRowId,
} from './preflightList.ts';

export interface PreflightDependencies extends LaunchCheckDependencies {
	/** Returns the agents that the connection offers now. */
	readAgents(): Promise<TaskConnection['agents']>;
	explain(error: unknown): void;
}

/** One preflight, from the first row to the user's confirmation. */
export class Preflight {
	private readonly dependencies: PreflightDependencies;
	private readonly check: LaunchCheck;
	private readonly list: PreflightList;
	/** The state that the rows show. */
	private shown = '';

	constructor(dependencies: PreflightDependencies, prompt: string, subject: LaunchSubject) {
		this.dependencies = dependencies;
		this.check = new LaunchCheck(dependencies, prompt, subject, () => this.update());
		this.list = new PreflightList(vscode.l10n.t('Start Task on {0}', this.check.connection.label));
	}

	/**
	 * Shows everything that affects the task, lets the user change it, and resolves with the confirmed launch.
	 * `edit-prompt`: the user wants to continue writing. Resolves with undefined when dismissed.
	 */
	async ask(): Promise<ConfirmedLaunch | 'edit-prompt' | undefined> {
		const { check } = this;
		await check.gather();
		let hasChanged = false;
		for (let active = 'start'; ; ) {
			check.askNeeds();
			this.shown = check.state();
			const taken = await this.list.ask(this.rows(), active, hasChanged);
			hasChanged = false;
			if (taken === undefined) {
				return undefined;
			}
			if (taken === 'prompt') {
				return 'edit-prompt';
			}
			active = taken;
			// The last row leads to the finding that prevents the task.
			const blocker = check.findings().find(isBlocker)?.kind;
			if (taken !== 'start' || blocker) {
				if ((await this.change(taken === 'start' && blocker ? blocker : taken)) === 'leave') {
					return undefined;
				}
				continue;
			}
			// Reading the repository takes time. The request must match what was shown; otherwise the new state is
			// shown again.
			await check.gather();
			check.askNeeds();
			await check.needs.settled();
			const plan = check.plan();
			hasChanged = check.state() !== this.shown;
			if (plan && !hasChanged) {
				await check.remember();
				return check.confirmed(plan);
			}
		}
	}

	/** Draws the rows again while they are shown. */
	private update(): void {
		if (this.list.update(this.rows())) {
			this.shown = this.check.state();
		}
	}

	private rows(): PreflightRow[] {
		return preflightRows(this.view());
	}

	private view(): PreflightView {
		return this.check.view(finding => this.fixes(finding));
	}

	private fixes(finding: PreflightFinding): FindingFix[] {
		const { check } = this;
		return findingFixes(finding, {
			check,
			folder: check.subject.opened?.repository.rootUri,
			dashboardUrl: check.connection.dashboardUrl,
			chooseBranch: () => this.change('branch'),
			getMissingFiles: remote => this.getMissingFiles(remote),
			chooseAgents: () => this.chooseAgents(),
		});
	}

	/** A failure is shown to the user, and the finding stays. */
	private async getMissingFiles(remote: string): Promise<void> {
		const { facts, subject } = this.check;
		const { opened } = subject;
		const target = facts?.target;
		const commit = target?.ok ? (target.there ?? target.here) : undefined;
		if (opened && target?.ok && commit !== undefined) {
			const place = placeOf(opened.git, target.repoUrl);
			await getMissingFiles(place, commit, remote).catch(error => this.dependencies.explain(error));
		}
		await this.check.gather();
	}

	/** Keeps the current repository when dismissed, or if there is nothing to choose from, which the user is told. */
	private async chooseRepository(): Promise<void> {
		const subject = await pickSubject(this.dependencies.subjects).catch(error => this.dependencies.explain(error));
		if (subject) {
			this.check.subject = subject;
			this.check.choices = this.check.readChoices();
			await this.check.gather();
		}
	}

	/** A new model server brings further agents, so they are read again. */
	private async chooseAgents(): Promise<void> {
		const picked = await pickAgents(this.check.connection, this.check.choices.agents);
		if (picked !== 'add-server') {
			return this.check.choose({ agents: picked ?? this.check.choices.agents });
		}
		await executeCommand(commands.addService);
		this.check.connection.agents = await this.dependencies.readAgents();
		return this.check.choose({ agents: this.check.readChoices().agents });
	}

	/** Changes the choice of a row, or applies a fix for its finding. */
	private async change(id: string): Promise<unknown> {
		switch (id) {
			case 'repository':
				return this.chooseRepository();
			case 'branch':
				await this.check.subject.chooseBranch(this.check.facts, this.check.serviceAnswer);
				return this.check.gather();
			case 'agents':
				return this.chooseAgents();
			case 'dependencies':
				return this.check.choose({ installDependencies: !this.check.choices.installDependencies });
			case 'duration':
				return this.check.choose({ maxDuration: await askDuration(this.check.choices.maxDuration) });
			default: {
				const server = this.check.servers().find(choice => serverRowId(choice) === id);
				if (server) {
					return this.check.changeServer(server);
				}
				const finding = this.check.findings().find(({ kind }) => kind === id);
				const fixes = finding ? this.fixes(finding) : [];
				const [fix] = finding && fixes.length > 1 ? [await pickFix(fixes, findingLabel(this.view(), finding))] : fixes;
				return fix?.run();
			}
		}
	}
}
