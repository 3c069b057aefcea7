import { readFile } from 'node:fs/promises';
import * as vscode from 'vscode';
import { defined } from '../base/defined.ts';
import { isAbortError } from '../base/errors.ts';
import type {
	AgentInstallRequest,
	AgentStatus,
	AgentsReport,
	AgentTrial,
	SandboxStatus,
	StoredConsent,
	Withdrawal,
} from '../contract/agents.ts';
import { type Action, runActions, staying, toCommand, toSetting } from '../platform/actionList.ts';
import { hasMovedToEditor } from '../platform/editorUse.ts';
import { commands } from '../platform/ids.ts';
import { errorText, showMessage } from '../platform/notify.ts';
import { choose } from '../platform/pick.ts';
import { withProgressNotice } from '../platform/progressNotice.ts';
import { readSetting, writeSetting } from '../platform/settings.ts';
import {
	accountDetail,
	agentLabel,
	agentRows,
	failureRows,
	installDetail,
	type Next,
	openAgentSettings,
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
		await runActions<'leave'>({
			title: vscode.l10n.t('Set Up Agents'),
			name: vscode.l10n.t('The local service'),
			placeHolder: () => vscode.l10n.t('Select an agent to try, install or use'),
			reading: vscode.l10n.t('Looking for agents…'),
			rows: () => (this.report ? this.rows(this.report) : this.read()),
			ignoreFocusOut: true,
		});
	}

	private async read(): Promise<Action<'leave'>[]> {
		try {
			const [report, consents] = await Promise.all([this.control.report(), this.control.consents()]);
			[this.report, this.consents] = [report, consents];
			return this.rows(report);
		} catch (error) {
			return failureRows(explain(error), this.control.showLog);
		}
	}

	private rows(report: AgentsReport): Action<'leave'>[] {
		return agentRows({
			actions: {
				sandbox: status => this.helpWithSandbox(status),
				agent: agent => this.setUp(agent),
				consent: consent => this.withdraw(consent),
			},
			report,
			consents: this.consents,
			defaultAgent: readSetting('errand.tasks.agent'),
			isSandboxRequired: readSetting('errand.local.sandbox') === 'require',
			installCommand: this.installCommand,
			results: this.results,
			problems: readAgentSettings(readSetting('errand.local.agents')).problems,
		});
	}

	private async withdraw(consent: StoredConsent): Promise<undefined> {
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
	}

	private async helpWithSandbox({ works, problem, detail, forbidden }: SandboxStatus): Next {
		const { installCommand } = this;
		const command = problem === 'not-installed' ? installCommand : forbidden?.command;
		const copied = problem === 'not-installed' ? command : (command ?? detail);
		const copyLabel = command !== undefined ? vscode.l10n.t('Copy Command') : vscode.l10n.t('Copy Its Output');
		const again = staying(async () => {
			this.report = undefined;
		});
		const chosen = await choose(vscode.l10n.t('Sandbox'), [
			row('refresh', vscode.l10n.t('Check Again'), again),
			...(works || copied === undefined ? [] : [row('copy', copyLabel, () => copy(copied))]),
			row('gear', vscode.l10n.t('Open Settings'), toSetting('errand.local.sandbox')),
		]);
		return chosen?.();
	}

	private async setUp(agent: AgentStatus): Next {
		const placeHolder = this.results.get(agent.id) ?? stateText(agent) ?? '';
		const chosen = await choose(agentLabel(agent), this.actionsOn(agent), { placeHolder });
		return chosen?.();
	}

	private actionsOn(agent: AgentStatus): Action<'leave'>[] {
		const { id, problem, source, location, install, accountHosts } = agent;
		const rows: Action<'leave'>[] = [];
		if ((problem === undefined && !accountHosts) || (problem === 'no-model' && source !== 'none')) {
			const title = vscode.l10n.t('Trying {0}…', agentLabel(agent));
			const tryOut = () => this.perform(agent, title, signal => this.control.tryOut(id, signal));
			rows.push(row('play', vscode.l10n.t('Try It'), tryOut));
		}
		if (problem === 'own-account') {
			rows.push(row('account', vscode.l10n.t('Use Its Own Account…'), () => this.allowAccount(agent)));
		}
		if (problem === undefined && accountHosts) {
			rows.push(row('trash', vscode.l10n.t('Withdraw Its Account…'), () => this.withdrawAccount(agent)));
		}
		if (problem === 'not-found' && install) {
			rows.push(row('desktop-download', vscode.l10n.t('Install…'), () => this.install(agent)));
		}
		if (problem === 'no-model') {
			const addService = toCommand(commands.addService);
			rows.push(row('server', vscode.l10n.t('Add Service…'), addService));
		}
		if (problem === undefined && readSetting('errand.tasks.agent') !== id) {
			rows.push(
				row('star-empty', vscode.l10n.t('Set as Default'), () =>
					this.change(id, async () => writeSetting('errand.tasks.agent', id)),
				),
			);
		}
		if (location !== undefined) {
			rows.push(row('copy', vscode.l10n.t('Copy Path'), () => copy(location)));
		}
		return [...rows, row('gear', vscode.l10n.t('Open Settings'), openAgentSettings)];
	}

	private async allowAccount(agent: AgentStatus): Promise<undefined> {
		const allow = vscode.l10n.t('Allow');
		const question = vscode.l10n.t('May {0} work without your models?', agentLabel(agent));
		if ((await this.control.askModal(question, accountDetail(agent), allow)) === allow) {
			await this.writeAccount(agent, agent.accountHosts);
		}
	}

	private async withdrawAccount(agent: AgentStatus): Promise<undefined> {
		const withdraw = vscode.l10n.t('Withdraw');
		const question = vscode.l10n.t('Withdraw the account of {0}?', agentLabel(agent));
		const detail = vscode.l10n.t('Its login on this machine is deleted. What runs now is not ended.');
		if ((await this.control.askModal(question, detail, withdraw)) === withdraw) {
			await this.writeAccount(agent, undefined);
		}
	}

	/** Writes the hosts to which the user has agreed. Without them, the login goes as well. */
	private writeAccount({ id }: AgentStatus, hosts: readonly string[] | undefined): Promise<undefined> {
		return this.change(id, async () => {
			const { [id]: _, ...others } = readAllowedAccounts(readSetting('errand.local.allowedAccounts'));
			await writeSetting('errand.local.allowedAccounts', { ...others, ...defined({ [id]: hosts }) });
			if (hosts === undefined) {
				await this.control.removeLogin(id);
			}
			this.report = undefined;
		});
	}

	private async install(agent: AgentStatus): Next {
		const install = agent.install?.terms ? vscode.l10n.t('Agree and Install') : vscode.l10n.t('Install');
		const question = vscode.l10n.t('Install {0}?', agentLabel(agent));
		if ((await this.control.askModal(question, installDetail(agent), install)) !== install) {
			return undefined;
		}
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

	/** Changes settings of an agent. If that fails, the list says why. */
	private async change(id: string, write: () => Promise<void>): Promise<undefined> {
		try {
			await write();
			this.results.delete(id);
		} catch (error) {
			this.results.set(id, explain(error));
		}
	}

	/**
	 * Runs an action with progress and keeps its result for the list. If the user has moved to an editor meanwhile, a
	 * notification shows it instead, as a list would take the keyboard focus from the editor.
	 */
	private async perform(agent: AgentStatus, title: string, run: (signal: AbortSignal) => Promise<AgentTrial>): Next {
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
		return hasGone ? 'leave' : undefined;
	}
}

const row = (icon: string, label: string, value: Action<'leave'>['value']): Action<'leave'> => ({
	label: `$(${icon}) ${label}`,
	value,
});

async function copy(text: string): Promise<undefined> {
	await vscode.env.clipboard.writeText(text);
	vscode.window.setStatusBarMessage(vscode.l10n.t('Copied'), STATUS_MS);
}

function explain(error: unknown): string {
	return isAbortError(error) ? vscode.l10n.t('Canceled.') : errorText(error, vscode.l10n.t('The local service'));
}
