// The texts in the list of agents.
import * as vscode from 'vscode';
import { escapeIcons, oneLine } from '../base/plainText.ts';
import type { AgentStatus, AgentsReport, AgentTrial, SandboxStatus, StoredConsent } from '../contract/agents.ts';
import { localConnection } from '../contract/localConnection.ts';
import { type Action, action, leaving, staying, toSetting } from '../platform/actionList.ts';
import { agentProblemText } from '../platform/agentProblemMessages.ts';
import { separator } from '../platform/pick.ts';
import { settingIssueText } from '../platform/settingIssue.ts';
import { consentDetail, consentLabel, consentText } from './consentMessages.ts';
import type { AgentSettingProblem } from './model/taskSettings.ts';

const MAXIMUM_NAME = 60;
const MAXIMUM_TEXT = 300;

/** What is done once a row was chosen. Resolves with `leave` if the user goes elsewhere. */
export type Next = Promise<'leave' | undefined>;

export interface AgentsView {
	actions: {
		sandbox(sandbox: SandboxStatus): Next;
		agent(agent: AgentStatus): Next;
		consent(consent: StoredConsent): Next;
	};
	report: AgentsReport;
	consents: readonly StoredConsent[];
	/** The agent of `errand.tasks.agent`. */
	defaultAgent: string;
	isSandboxRequired: boolean;
	/** The command that installs the sandbox's program on this system, if it is known. */
	installCommand: string | undefined;
	/** The results of the latest actions, each as a sentence by the agent's id. */
	results: ReadonlyMap<string, string>;
	/** The entries of the setting that cannot be used. */
	problems: readonly AgentSettingProblem[];
}

type AgentRow = Action<'leave'>;

export const openAgentSettings = toSetting('errand.local.agents');

const demoIds: ReadonlySet<string> = new Set(localConnection.agents.map(({ id }) => id));

/**
 * Returns the rows for the sandbox, then for the agents and the problems with the setting, then for the consents for
 * repositories.
 */
export function agentRows(view: AgentsView): AgentRow[] {
	const { report, consents, problems, actions } = view;
	return [
		sandboxRow(view),
		separator(vscode.l10n.t('Agents')),
		...report.agents.map(agent => agentRow(agent, view)),
		...problems.map(problemRow),
		...(consents.length === 0 ? [] : [separator<AgentRow['value']>(vscode.l10n.t('Allowed for repositories'))]),
		...consents.map(consent =>
			action(
				{ unsandboxed: 'unlock', dependencies: 'package', search: 'search' }[consent.kind],
				escapeIcons(consentLabel(consent)),
				() => actions.consent(consent),
				consentText(consent),
				consentDetail(consent),
			),
		),
		separator(''),
		action('gear', vscode.l10n.t('Add an Agent in Settings'), openAgentSettings),
	];
}

/** Returns the rows that are shown if the agents could not be read. `reason` is a sentence. */
export function failureRows(reason: string, showLog: () => void): AgentRow[] {
	const again = staying(async () => {});
	const log = leaving(async () => showLog());
	return [
		action('refresh', vscode.l10n.t('Try Again'), again, '', reason),
		action('output', vscode.l10n.t('Show Log'), log),
	];
}

function sandboxRow({ report: { sandbox }, isSandboxRequired, installCommand, actions }: AgentsView): AgentRow {
	const { label, detail } = sandboxText(sandbox, installCommand);
	const without = isSandboxRequired
		? vscode.l10n.t('Agents aren’t allowed to run without a sandbox, as set in your settings.')
		: vscode.l10n.t('Without a sandbox, Errand asks once for each repository.');
	return action(
		sandbox.works ? 'shield' : 'warning',
		label,
		() => actions.sandbox(sandbox),
		'',
		sandbox.works ? detail : `${detail} ${without}`,
	);
}

function sandboxText(
	{ works, problem, detail = '', forbidden }: SandboxStatus,
	installCommand: string | undefined,
): { label: string; detail: string } {
	if (works) {
		return {
			label: vscode.l10n.t('The sandbox works'),
			detail: vscode.l10n.t(
				'Agents can access a copy of the repository, the installed programs, their model, and the hosts that you allow.',
			),
		};
	}
	switch (problem) {
		case 'not-installed':
			return {
				label: vscode.l10n.t('No sandbox: bubblewrap isn’t installed'),
				detail:
					installCommand === undefined
						? vscode.l10n.t('Install your distribution’s “bubblewrap” package.')
						: vscode.l10n.t('Install it with “{0}”.', installCommand),
			};
		case 'platform':
			return {
				label: vscode.l10n.t('No sandbox: this system isn’t supported yet'),
				detail: vscode.l10n.t('Errand’s sandbox supports Linux and macOS.'),
			};
		default: {
			const said = oneLine(detail, MAXIMUM_TEXT);
			const help =
				forbidden !== undefined
					? forbiddenText(forbidden)
					: vscode.l10n.t(
							'Containers and AppArmor may block user namespaces. Allow them for this container, or give bwrap an AppArmor profile with “userns”.',
						);
			return {
				label: vscode.l10n.t('No sandbox: this system doesn’t allow it'),
				detail: said === '' ? help : `${help} ${vscode.l10n.t('It said: “{0}”', said)}`,
			};
		}
	}
}

function forbiddenText({ setting }: NonNullable<SandboxStatus['forbidden']>): string {
	const help = vscode.l10n.t('Select this row to copy the command that allows them.');
	const cause = setting.includes('apparmor')
		? vscode.l10n.t(
				'AppArmor blocks user namespaces for bubblewrap, as it does on Ubuntu 24.04 and later ({0}). It needs a profile that allows them.',
				setting,
			)
		: vscode.l10n.t('A kernel setting blocks user namespaces ({0}).', setting);
	return `${cause} ${help}`;
}

function agentRow(agent: AgentStatus, { defaultAgent, results, actions }: AgentsView): AgentRow {
	const { id, version, location, megabytes, unsetVariables = [] } = agent;
	const notes = [
		version === undefined ? undefined : oneLine(version, MAXIMUM_NAME),
		sourceText(agent),
		id === defaultAgent ? vscode.l10n.t('default') : undefined,
	].filter(note => note !== undefined);
	const facts = [
		results.get(id),
		stateText(agent),
		unsetVariables.length === 0 ? undefined : unsetText(unsetVariables),
		location === undefined ? undefined : oneLine(location, MAXIMUM_TEXT),
		megabytes === undefined ? undefined : vscode.l10n.t('needs about {0} MB of memory', number(megabytes)),
	].filter(fact => fact !== undefined);
	return action(
		iconOf(agent),
		escapeIcons(agentLabel(agent)),
		() => actions.agent(agent),
		notes.join(' · '),
		facts.join(' · '),
	);
}

export function agentLabel({ label, id }: AgentStatus): string {
	return oneLine(label, MAXIMUM_NAME) || id;
}

function unsetText(names: readonly string[]): string {
	return vscode.l10n.t(
		'Not set in the editor’s environment: {0}. Set it, then restart the editor.',
		oneLine(names.join(', '), MAXIMUM_TEXT),
	);
}

function sourceText({ source }: AgentStatus): string | undefined {
	return {
		'built-in': vscode.l10n.t('built in'),
		own: vscode.l10n.t('included with Errand'),
		settings: vscode.l10n.t('from your settings'),
		path: vscode.l10n.t('found on PATH'),
		installed: vscode.l10n.t('installed by Errand'),
		none: undefined,
	}[source];
}

/** Returns why an agent cannot run, or a description of it if it needs one. */
export function stateText({ id, source, problem }: AgentStatus): string | undefined {
	if (problem !== undefined) {
		return agentProblemText(problem);
	}
	return source === 'built-in' && demoIds.has(id)
		? vscode.l10n.t('A demonstration that makes one small change with a script, without a model.')
		: undefined;
}

function iconOf({ problem, unsetVariables = [] }: AgentStatus): string {
	switch (problem) {
		case undefined:
			return unsetVariables.length === 0 ? 'pass' : 'warning';
		case 'not-found':
			return 'circle-outline';
		case 'no-model':
			return 'warning';
		default:
			return 'circle-slash';
	}
}

function problemRow({ name, entry, issue }: AgentSettingProblem): AgentRow {
	return action(
		'warning',
		escapeIcons(oneLine(name, MAXIMUM_NAME)),
		openAgentSettings,
		vscode.l10n.t('cannot be used'),
		oneLine(issueText(issue, entry), MAXIMUM_TEXT),
	);
}

function issueText(issue: AgentSettingProblem['issue'], entry: unknown): string {
	if (issue === undefined) {
		return vscode.l10n.t('another entry has the same ID');
	}
	if (issue.code === 'custom' && issue.path[0] === 'env') {
		const name: unknown = issue.path.reduce<unknown>((inner, key) => Object(inner)[key], entry);
		return vscode.l10n.t(
			'env can’t include {0}, which affects what programs load and is set by Errand',
			String(name).replace(/=.*/s, ''),
		);
	}
	if (issue.code === 'invalid_key') {
		return vscode.l10n.t('files must name files below the home folder, such as .config/agent.json');
	}
	if (issue.code !== 'invalid_format') {
		return settingIssueText(issue, entry);
	}
	return issue.path[0] === 'env'
		? vscode.l10n.t('env must be a list of names of environment variables, or of NAME=text')
		: vscode.l10n.t('id must be lowercase letters, digits or hyphens, at most 40');
}

export function trialText(trial: AgentTrial): string {
	if (!trial.ok) {
		return oneLine(trial.message, MAXIMUM_TEXT);
	}
	const name = [trial.name, trial.version ?? ''].map(part => oneLine(part, MAXIMUM_NAME)).filter(Boolean);
	return vscode.l10n.t('It works: {0} responded after {1} s.', name.join(' '), number(trial.seconds));
}

/** Returns what it means that an agent works with an account of its own. */
export function accountDetail({ accountHosts = [] }: AgentStatus): string {
	return [
		vscode.l10n.t(
			'It works with an account of its own, and reaches these hosts and nothing else: {0}.',
			accountHosts.join(', '),
		),
		vscode.l10n.t(
			'Your code and your prompts go there under the terms of that account. None of your models is used, no routing policy and no rule of retention holds, and Errand does not know what it costs.',
		),
		vscode.l10n.t('Its login is kept on this machine, in a folder that no other agent gets, until you withdraw this.'),
	].join('\n');
}

export function installDetail({ install, licence, megabytes }: AgentStatus): string {
	const { packages = [], downloadMegabytes = 0, diskMegabytes = 0, terms } = install ?? {};
	return [
		vscode.l10n.t('npm packages: {0}', packages.map(name => oneLine(name, MAXIMUM_NAME)).join(', ')),
		vscode.l10n.t('Download: about {0} MB. On disk: about {1} MB.', number(downloadMegabytes), number(diskMegabytes)),
		...(megabytes === undefined ? [] : [vscode.l10n.t('While it runs: about {0} MB of memory.', number(megabytes))]),
		licence === undefined
			? vscode.l10n.t('License: not known')
			: vscode.l10n.t('License: {0}', oneLine(licence, MAXIMUM_NAME)),
		...(terms === undefined
			? []
			: [
					vscode.l10n.t(
						'Terms of {0}, which you agree to by installing it: “{1}”',
						oneLine(terms.package, MAXIMUM_NAME),
						oneLine(terms.text, MAXIMUM_TEXT),
					),
				]),
	].join('\n');
}

const number = (value: number) => value.toLocaleString(vscode.env.language, { maximumFractionDigits: 1 });
