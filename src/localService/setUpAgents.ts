import { readFile } from 'node:fs/promises';
import * as vscode from 'vscode';
import { defined } from '../base/defined.ts';
import { ClientError, isAbortError } from '../base/errors.ts';
import type {
	AgentInstallRequest,
	AgentStatus,
	AgentsReport,
	AgentTrial,
	SandboxStatus,
	StoredConsent,
	Withdrawal,
} from '../contract/agents.ts';
import { executeCommand } from '../platform/commands.ts';
import { hasMovedToEditor } from '../platform/editorUse.ts';
import { commands } from '../platform/ids.ts';
import { errorText, showMessage } from '../platform/notify.ts';
import { type Choice, choose, PickList } from '../platform/pick.ts';
import { withProgressNotice } from '../platform/progressNotice.ts';
import { openSetting, readSetting, writeSetting } from '../platform/settings.ts';
import {
	type AgentListChoice,
	type AgentRow,
	accountDetail,
	agentLabel,
	agentRows,
	failureRows,
	installDetail,
	stateText,
	trialText,
} from './agentMessages.ts';
import { consentLabel } from './consentMessages.ts';
import { sandboxInstallCommand } from './model/sandboxPackage.ts';
import { readAgentSettings, readAllowedAccounts } from './model/taskSettings.ts';

const STATUS_MS = 5000;

/** The list's requests to the service. Each rejects with a ClientError or a UserFacingError. */
export interface AgentControl {
	report(): Promise<AgentsReport>;
	/** Returns the user's consents for repositories. */
	consents(): Promise<StoredConsent[]>;
	withdraw(withdrawal: Withdrawal): Promise<void>;
	tryOut(id: string, signal: AbortSignal): Promise<AgentTrial>;
	install(request: AgentInstallRequest, signal: AbortSignal): Promise<AgentTrial>;
	/** Removes the login that an agent has kept for an account of its own. */
	removeLogin(id: string): Promise<void>;
	/** Asks in a modal dialog and resolves with the chosen button. */
	askModal(message: string, detail: string, button: string): Thenable<string | undefined>;
	showLog(): void;
}

/** Lists the sandbox and the agents of the local service, and lets the user try, install and choose agents. */
export async function setUpAgents(control: AgentControl): Promise<void> {
	await new AgentList(control).run();
}

/** The step after an action: the list is shown again, or the user goes elsewhere. */
type Next = 'list' | 'leave';

class AgentList {
	private readonly control: AgentControl;
	private report: AgentsReport | undefined;
	private consents: readonly StoredConsent[] = [];
	private installCommand: string | undefined;
	/** The results of the latest actions, each as a sentence by the agent's id. */
	private readonly results = new Map<string, string>();

	constructor(control: AgentControl) {
		this.control = control;
	}

	async run(): Promise<void> {
		this.installCommand = sandboxInstallCommand(await readFile('/etc/os-release', 'utf8').catch(() => ''));
		let active: AgentListChoice | undefined;
		let next: Next = 'list';
		while (next === 'list') {
			active = await this.ask(active);
			next = active ? await this.act(active) : 'leave';
		}
	}

	/** Shows the list at once and reads the agents if needed. Resolves with undefined when dismissed. */
	private ask(before: AgentListChoice | undefined): Promise<AgentListChoice | undefined> {
		const list = new PickList<AgentRow, AgentListChoice>(picker => {
			picker.title = vscode.l10n.t('Set Up Agents');
			picker.placeholder = vscode.l10n.t('Select an agent to try, install or use');
			picker.matchOnDescription = true;
			picker.matchOnDetail = true;
			picker.ignoreFocusOut = true;
			picker.onDidAccept(() => {
				const choice = picker.selectedItems[0]?.choice;
				if (choice) {
					list.take(choice);
				}
			});
		});
		const activeOf = (rows: readonly AgentRow[]) => rows.find(({ choice }) => isSame(choice, before));
		if (this.report) {
			const rows = this.rows(this.report);
			list.show(rows, activeOf(rows));
		} else {
			const picker = list.show([]);
			const { placeholder } = picker;
			picker.busy = true;
			picker.placeholder = vscode.l10n.t('Looking for agents…');
			void this.read().then(rows => {
				list.redraw(rows, activeOf(rows));
				picker.busy = false;
				picker.placeholder = placeholder;
			});
		}
		return list.result;
	}

	private async read(): Promise<AgentRow[]> {
		try {
			const [report, consents] = await Promise.all([this.control.report(), this.readConsents()]);
			[this.report, this.consents] = [report, consents];
			return this.rows(report);
		} catch (error) {
			return failureRows(explain(error));
		}
	}

	private readConsents(): Promise<readonly StoredConsent[]> {
		return this.control.consents().catch(error => {
			// An older service that is still running does not report them.
			if (ClientError.is(error, 'not-found')) {
				return [];
			}
			throw error;
		});
	}

	private rows(report: AgentsReport): AgentRow[] {
		return agentRows({
			report,
			consents: this.consents,
			defaultAgent: readSetting('errand.tasks.agent'),
			isSandboxRequired: readSetting('errand.local.sandbox') === 'require',
			installCommand: this.installCommand,
			results: this.results,
			problems: readAgentSettings(readSetting('errand.local.agents')).problems,
		});
	}

	private async act(choice: AgentListChoice): Promise<Next> {
		switch (choice.kind) {
			case 'again':
				return 'list';
			case 'log':
				this.control.showLog();
				return 'leave';
			case 'settings':
				await openSetting('errand.local.agents');
				return 'leave';
			case 'sandbox':
				return this.helpWithSandbox(choice.sandbox);
			case 'agent':
				return this.setUp(choice.agent);
			case 'consent':
				return this.withdraw(choice.consent);
		}
	}

	private async withdraw(consent: StoredConsent): Promise<Next> {
		const { folder, kind } = consent;
		const withdraw = { label: `$(trash) ${vscode.l10n.t('Revoke')}`, value: true };
		const placeHolder = {
			search: vscode.l10n.t('Tasks can’t search the web until you allow it again. Running agents aren’t stopped.'),
			unsandboxed: vscode.l10n.t(
				'You’re asked again before agents run without a sandbox. Running agents aren’t stopped.',
			),
			dependencies: vscode.l10n.t('You’re asked again about the hosts of dependencies. Running agents aren’t stopped.'),
		}[kind];
		if (await choose(consentLabel(consent), [withdraw], { placeHolder })) {
			try {
				await this.control.withdraw({ folder, kind });
				this.report = undefined;
			} catch (error) {
				void showMessage('error', explain(error));
			}
		}
		return 'list';
	}

	private async helpWithSandbox({ works, problem, detail, forbidden }: SandboxStatus): Promise<Next> {
		const { installCommand } = this;
		const command = problem === 'not-installed' ? installCommand : forbidden?.command;
		const copied = problem === 'not-installed' ? command : (command ?? detail);
		const action = await choose<'again' | 'copy' | 'settings'>(vscode.l10n.t('Sandbox'), [
			{ label: `$(refresh) ${vscode.l10n.t('Check Again')}`, value: 'again' },
			...(works || copied === undefined
				? []
				: [
						{
							label: `$(copy) ${command !== undefined ? vscode.l10n.t('Copy Command') : vscode.l10n.t('Copy Its Output')}`,
							value: 'copy' as const,
						},
					]),
			{ label: `$(gear) ${vscode.l10n.t('Open Settings')}`, value: 'settings' },
		]);
		switch (action) {
			case 'again':
				this.report = undefined;
				return 'list';
			case 'copy':
				await copy(copied ?? '');
				return 'list';
			case 'settings':
				await openSetting('errand.local.sandbox');
				return 'leave';
			case undefined:
				return 'list';
		}
	}

	private async setUp(agent: AgentStatus): Promise<Next> {
		const { id, location } = agent;
		switch (await chooseAction(agent, this.results.get(id))) {
			case 'try':
				return this.perform(agent, vscode.l10n.t('Trying {0}…', agentLabel(agent)), signal =>
					this.control.tryOut(id, signal),
				);
			case 'install':
				return (await this.mayInstall(agent)) ? this.install(agent) : 'list';
			case 'account':
				await this.allowAccount(agent);
				return 'list';
			case 'withdraw':
				await this.withdrawAccount(agent);
				return 'list';
			case 'copy':
				await copy(location ?? '');
				return 'list';
			case 'default':
				await this.makeDefault(id);
				return 'list';
			case 'models':
				await executeCommand(commands.addService);
				return 'leave';
			case 'settings':
				await openSetting('errand.local.agents');
				return 'leave';
			case undefined:
				return 'list';
		}
	}

	private async allowAccount(agent: AgentStatus): Promise<void> {
		const allow = vscode.l10n.t('Allow');
		const question = vscode.l10n.t('May {0} work without your models?', agentLabel(agent));
		if ((await this.control.askModal(question, accountDetail(agent), allow)) === allow) {
			await this.writeAccount(agent, agent.accountHosts);
		}
	}

	private async withdrawAccount(agent: AgentStatus): Promise<void> {
		const withdraw = vscode.l10n.t('Withdraw');
		const question = vscode.l10n.t('Withdraw the account of {0}?', agentLabel(agent));
		const detail = vscode.l10n.t('Its login on this machine is deleted. What runs now is not ended.');
		if ((await this.control.askModal(question, detail, withdraw)) === withdraw) {
			await this.writeAccount(agent, undefined);
		}
	}

	/** Writes the hosts to which the user has agreed. Without them, the login goes as well. */
	private async writeAccount({ id }: AgentStatus, hosts: readonly string[] | undefined): Promise<void> {
		try {
			const { [id]: _, ...others } = readAllowedAccounts(readSetting('errand.local.allowedAccounts'));
			await writeSetting('errand.local.allowedAccounts', { ...others, ...defined({ [id]: hosts }) });
			if (hosts === undefined) {
				await this.control.removeLogin(id);
			}
			this.results.delete(id);
			this.report = undefined;
		} catch (error) {
			this.results.set(id, explain(error));
		}
	}

	private async mayInstall(agent: AgentStatus): Promise<boolean> {
		const install = agent.install?.terms ? vscode.l10n.t('Agree and Install') : vscode.l10n.t('Install');
		const question = vscode.l10n.t('Install {0}?', agentLabel(agent));
		return (await this.control.askModal(question, installDetail(agent), install)) === install;
	}

	private install(agent: AgentStatus): Promise<Next> {
		return this.perform(agent, vscode.l10n.t('Installing {0}…', agentLabel(agent)), async signal => {
			try {
				return await this.control.install(
					{ id: agent.id, ...defined({ agreedTo: agent.install?.terms?.text }) },
					signal,
				);
			} finally {
				this.report = undefined;
			}
		});
	}

	private async makeDefault(id: string): Promise<void> {
		try {
			await writeSetting('errand.tasks.agent', id);
			this.results.delete(id);
		} catch (error) {
			this.results.set(id, explain(error));
		}
	}

	/**
	 * Runs an action with progress and keeps its result for the list. If the user has moved to an editor meanwhile, a
	 * notification shows it instead, as a list would take the keyboard focus from the editor.
	 */
	private async perform(
		agent: AgentStatus,
		title: string,
		run: (signal: AbortSignal) => Promise<AgentTrial>,
	): Promise<Next> {
		let result = '';
		let works = false;
		const hasGone = await hasMovedToEditor(async () => {
			try {
				const trial = await withProgressNotice(title, run);
				works = trial.ok;
				result = trialText(trial);
			} catch (error) {
				result = explain(error);
			}
		});
		this.results.set(agent.id, result);
		if (hasGone) {
			void showMessage(works ? 'information' : 'error', `${agentLabel(agent)}: ${result}`);
		}
		return hasGone ? 'leave' : 'list';
	}
}

function isSame(one: AgentListChoice | undefined, other: AgentListChoice | undefined): boolean {
	return one?.kind === 'agent' && other?.kind === 'agent'
		? one.agent.id === other.agent.id
		: one !== undefined && one.kind === other?.kind;
}

type Action = 'try' | 'install' | 'account' | 'withdraw' | 'copy' | 'default' | 'models' | 'settings';

function chooseAction(agent: AgentStatus, result: string | undefined): Promise<Action | undefined> {
	const { id, problem, source, location, install, accountHosts } = agent;
	const items: Choice<Action>[] = [];
	const add = (value: Action, icon: string, label: string) => items.push({ value, label: `$(${icon}) ${label}` });
	if ((problem === undefined && !accountHosts) || (problem === 'no-model' && source !== 'none')) {
		add('try', 'play', vscode.l10n.t('Try It'));
	}
	if (problem === 'own-account') {
		add('account', 'account', vscode.l10n.t('Use Its Own Account…'));
	}
	if (problem === undefined && accountHosts) {
		add('withdraw', 'trash', vscode.l10n.t('Withdraw Its Account…'));
	}
	if (problem === 'not-found' && install) {
		add('install', 'desktop-download', vscode.l10n.t('Install…'));
	}
	if (problem === 'no-model') {
		add('models', 'server', vscode.l10n.t('Add Service…'));
	}
	if (problem === undefined && readSetting('errand.tasks.agent') !== id) {
		add('default', 'star-empty', vscode.l10n.t('Set as Default'));
	}
	if (location !== undefined) {
		add('copy', 'copy', vscode.l10n.t('Copy Path'));
	}
	add('settings', 'gear', vscode.l10n.t('Open Settings'));
	return choose(agentLabel(agent), items, { placeHolder: result ?? stateText(agent) ?? '' });
}

async function copy(text: string): Promise<void> {
	await vscode.env.clipboard.writeText(text);
	vscode.window.setStatusBarMessage(vscode.l10n.t('Copied'), STATUS_MS);
}

function explain(error: unknown): string {
	return isAbortError(error) ? vscode.l10n.t('Canceled.') : errorText(error, vscode.l10n.t('The local service'));
}
