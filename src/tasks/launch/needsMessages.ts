import * as vscode from 'vscode';
import { oneLine } from '../../base/plainText.ts';
import type { AgentStatus, SandboxStatus } from '../../contract/agents.ts';
import { agentProblemText } from '../../platform/agentProblemMessages.ts';
import type { NeedsFinding } from '../model/taskNeeds.ts';
import { blocked, type FindingText, shortName, told, warned } from './findingText.ts';

/** The number of commands and of hosts that are named in a row; the rest is counted. */
const SHOWN = 6;
const MAXIMUM_REASON = 200;

/** Describes what a task of the local service needs. `connection` is the connection's label. */
export function needsText(finding: NeedsFinding, connection: string): FindingText {
	switch (finding.kind) {
		case 'unusable-agents':
			return unusableText(finding.agents);
		case 'sandbox-required':
			return blocked(
				vscode.l10n.t('There is no sandbox, and without one no agent runs, as you chose'),
				`${sandboxText(finding.sandbox)} ${vscode.l10n.t('The setting “errand.local.sandbox” decides.')}`,
			);
		case 'unsandboxed':
			return warned(
				vscode.l10n.t('Runs without a sandbox: it can read and change everything that you can'),
				finding.isAllowed
					? vscode.l10n.t('Allowed for this repository, from the start of this task.')
					: `${sandboxText(finding.sandbox)} ${vscode.l10n.t('Allow it for this repository, or set up the sandbox.')}`,
			);
		case 'installation':
			return dependenciesText(finding);
		case 'no-dependencies':
			return told(
				vscode.l10n.t('No dependencies were found that could be installed'),
				vscode.l10n.t('The branch has no lockfile of a package manager that {0} knows.', connection),
			);
		case 'unpriced':
			return told(
				vscode.l10n.t(
					'“errand.tasks.maxCost” does not limit this task, as there is no price for {0}',
					listed(finding.models),
				),
				vscode.l10n.t('Add prices to “errand.local.upstreams”.'),
			);
		case 'needs-unknown':
			return told(vscode.l10n.t('What the task needs could not be asked'), finding.reason);
	}
}

function unusableText(agents: readonly AgentStatus[]): FindingText {
	const name = ({ label, id }: AgentStatus) => shortName(label || id);
	const reason = ({ problem }: AgentStatus) => (problem === undefined ? '' : agentProblemText(problem));
	const help = vscode.l10n.t('Set it up, or choose another agent.');
	const [first] = agents;
	return first && agents.length === 1
		? blocked(vscode.l10n.t('“{0}” cannot run', name(first)), `${reason(first)} ${help}`.trim())
		: blocked(
				vscode.l10n.t('{0} of the agents cannot run', agents.length),
				agents.map(agent => `${name(agent)}: ${reason(agent)}`).join(' '),
			);
}

function sandboxText({ problem, detail = '' }: SandboxStatus): string {
	switch (problem) {
		case 'not-installed':
			return vscode.l10n.t('Bubblewrap is not installed.');
		case 'platform':
			return vscode.l10n.t('Errand has no sandbox for this system yet.');
		default: {
			const said = oneLine(detail, MAXIMUM_REASON);
			const reason = vscode.l10n.t('This system does not permit the sandbox.');
			return said === '' ? reason : `${reason} ${vscode.l10n.t('It said: “{0}”', said)}`;
		}
	}
}

function dependenciesText({
	commands,
	hosts,
	withLogin,
	allowed,
}: NeedsFinding & { kind: 'installation' }): FindingText {
	const label = vscode.l10n.t('Dependencies are installed first: {0}', listed(commands.map(({ command }) => command)));
	const reached = [
		hosts.length === 0
			? vscode.l10n.t('No host is reached.')
			: vscode.l10n.t('These hosts are reached: {0}.', listed(hosts)),
		...(withLogin.length === 0 ? [] : [vscode.l10n.t('Agents do not get your login to {0}.', listed(withLogin))]),
	].join(' ');
	const description = listed(commands.map(({ lockfile }) => lockfile));
	switch (allowed) {
		case undefined:
			return {
				...warned(label, `${reached} ${vscode.l10n.t('Allow it for this repository, or go without.')}`),
				description,
			};
		case 'with-scripts':
			return { ...told(label, `${reached} ${vscode.l10n.t('Install scripts run.')}`), description };
		case 'without-scripts':
			return { ...told(label, `${reached} ${vscode.l10n.t('Install scripts do not run.')}`), description };
	}
}

function listed(names: readonly string[]): string {
	const shown = names.slice(0, SHOWN).map(shortName).join(', ');
	return names.length > SHOWN ? vscode.l10n.t('{0} and {1} more', shown, names.length - SHOWN) : shown;
}
