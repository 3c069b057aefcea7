import * as vscode from 'vscode';
import { defined } from '../../base/defined.ts';
import { escapeIcons, oneLine, shortName } from '../../base/plainText.ts';
import type { OfferedServer } from '../../chat/api.ts';
import type { LaunchFinding } from '../../contract/editorPipe.ts';
import { timeLimitText } from '../../platform/amounts.ts';
import { choose, PickList } from '../../platform/pick.ts';
import { isBlocker, type LaunchFacts, type LaunchPlan, type PreflightFinding } from '../model/findings.ts';
import type { TaskConnection } from '../model/taskConnection.ts';
import { agentName, choiceName, type LaunchChoices } from './launchChoices.ts';
import { SHORT_COMMIT } from './openRepositories.ts';
import {
	destinationText,
	findingText,
	type PreflightNames,
	pushText,
	scratchText,
	serversText,
} from './preflightMessages.ts';

const MAXIMUM_PROMPT = 120;

/** A row of the preflight. `id` identifies it when the rows are redrawn. */
export interface PreflightRow extends vscode.QuickPickItem {
	id: string;
}

/** An alternative for a finding. Resolving with `leave` ends the launch. */
export interface FindingFix {
	icon: string;
	title: string;
	run(): unknown;
}

/** An MCP server, and whether the agents of the task get it. */
export interface ServerChoice {
	server: OfferedServer;
	use: 'used' | 'left-out' | 'not-allowed' | 'no-sandbox';
}

/** Everything that the rows show. */
export interface PreflightView {
	prompt: string;
	connection: TaskConnection;
	choices: LaunchChoices;
	/** The repository's name. */
	repository: string;
	hasOtherRepositories: boolean;
	/** The name of the local branch. */
	branch: string;
	/** Undefined until the facts are known. */
	facts: LaunchFacts | undefined;
	/** Undefined if something prevents the task. */
	plan: LaunchPlan | undefined;
	findings: readonly PreflightFinding[];
	servers: readonly ServerChoice[];
	fixesOf(finding: PreflightFinding): readonly FindingFix[];
}

/** The findings, then the choices, and at the end the request. */
export function preflightRows(view: PreflightView): PreflightRow[] {
	const { connection, choices, findings } = view;
	const { agents, installDependencies, maxDuration } = choices;
	return [
		...findings.map(finding => findingRow(view, finding)),
		{ id: 'separator', label: vscode.l10n.t('Task'), kind: vscode.QuickPickItemKind.Separator },
		choiceRow('prompt', 'edit', vscode.l10n.t('Prompt'), oneLine(view.prompt, MAXIMUM_PROMPT)),
		...(view.hasOtherRepositories
			? [choiceRow('repository', 'repo', vscode.l10n.t('Repository'), view.repository)]
			: []),
		choiceRow('branch', 'git-branch', vscode.l10n.t('Branch'), shortName(view.branch)),
		choiceRow(
			'agents',
			'robot',
			agents.length > 1 ? vscode.l10n.t('Agents') : vscode.l10n.t('Agent'),
			agents.map(choice => choiceName(connection, choice)).join(', ') || vscode.l10n.t('as the service decides'),
		),
		choiceRow(
			'dependencies',
			'package',
			vscode.l10n.t('Dependencies'),
			installDependencies ? vscode.l10n.t('installed first') : vscode.l10n.t('not installed'),
		),
		choiceRow(
			'duration',
			'clock',
			vscode.l10n.t('Time'),
			maxDuration > 0 ? timeLimitText(maxDuration) : vscode.l10n.t('as the service decides'),
		),
		...view.servers.map(serverRow),
		startRow(view),
	];
}

export const serverRowId = ({ server }: ServerChoice): string => `server ${server.name}`;

function serverRow(choice: ServerChoice): PreflightRow {
	const { name, reach } = choice.server;
	const row = (icon: string, use: string, detail: string): PreflightRow => ({
		...choiceRow(serverRowId(choice), icon, vscode.l10n.t('MCP Server'), `${name}: ${use}`),
		detail: escapeIcons(detail),
	});
	switch (choice.use) {
		case 'used':
			return row('plug', vscode.l10n.t('used'), vscode.l10n.t('{0}. Nobody is asked about its calls.', reach));
		case 'left-out':
			return row('circle-slash', vscode.l10n.t('left out'), `${reach}.`);
		case 'not-allowed':
			return row('question', vscode.l10n.t('not agreed to'), vscode.l10n.t('{0}. Choose it to decide.', reach));
		case 'no-sandbox':
			return row(
				'circle-slash',
				vscode.l10n.t('left out'),
				vscode.l10n.t('Without a sandbox, tasks get no MCP servers.'),
			);
	}
}

function choiceRow(id: string, icon: string, label: string, description: string): PreflightRow {
	return { id, label: `$(${icon}) ${label}`, description: escapeIcons(description) };
}

function findingRow(view: PreflightView, finding: PreflightFinding): PreflightRow {
	const { icon, label, description, detail } = findingText(finding, namesOf(view));
	const [fix, ...others] = view.fixesOf(finding);
	const tooltip = others.length === 0 ? fix?.title : vscode.l10n.t('Show Other Options');
	return {
		id: finding.kind,
		label: `$(${icon}) ${escapeIcons(label)}`,
		...defined({
			description: description === '' ? undefined : escapeIcons(description),
			detail: detail === '' ? undefined : escapeIcons(detail),
			buttons: fix && [{ iconPath: new vscode.ThemeIcon(fix.icon), tooltip }],
		}),
	};
}

function startRow(view: PreflightView): PreflightRow {
	const sent = sentTexts(view);
	if (!sent) {
		const blocker = view.findings.find(isBlocker);
		return {
			id: 'start',
			label: `$(circle-slash) ${vscode.l10n.t('The task can’t be started yet')}`,
			description: blocker ? escapeIcons(findingText(blocker, namesOf(view)).label) : '',
		};
	}
	return {
		id: 'start',
		label: `$(play) ${vscode.l10n.t('Start Task')}`,
		description: escapeIcons(sent.what),
		detail: escapeIcons(sent.where),
	};
}

/** Returns a line each about the request and its result; undefined while something prevents the task. */
export function sentTexts(view: PreflightView): { what: string; where: string } | undefined {
	const { facts, plan, connection, choices } = view;
	if (!facts || !plan) {
		return undefined;
	}
	const branch = shortName(plan.branch ?? view.branch);
	const base = plan.scratch?.parent ?? plan.commit;
	const servers = view.servers.flatMap(({ server, use }) => (use === 'used' ? [server.name] : []));
	const isUnsandboxed = view.findings.some(({ kind }) => kind === 'unsandboxed');
	const what = [
		base === undefined ? branch : `${branch} @ ${base.slice(0, SHORT_COMMIT)}`,
		plan.push && pushText(plan.push.isNew ? undefined : facts.ahead),
		plan.scratch && scratchText(plan.scratch.withChanges ? facts.changed.length : 0),
		...choices.agents.map(choice => choiceName(connection, choice)),
		isUnsandboxed && vscode.l10n.t('without a sandbox'),
		choices.installDependencies && vscode.l10n.t('with dependencies'),
		servers.length > 0 && serversText(servers),
		choices.maxDuration > 0 && timeLimitText(choices.maxDuration),
	];
	return {
		what: what.filter(part => part !== undefined && part !== false).join(', '),
		where: destinationText(facts, connection.label),
	};
}

/** Returns the findings as sentences, for programs. */
export function launchFindings(view: PreflightView): LaunchFinding[] {
	return view.findings.map(finding => {
		const { label, description, detail } = findingText(finding, namesOf(view));
		return {
			text: description === '' ? label : `${label}: ${description}`,
			isBlocking: isBlocker(finding),
			...defined({ detail: detail === '' ? undefined : detail }),
		};
	});
}

/** Returns the label of the finding's row. */
export function findingLabel(view: PreflightView, finding: PreflightFinding): string {
	return findingText(finding, namesOf(view)).label;
}

function namesOf({ connection, choices, repository, branch }: PreflightView): PreflightNames {
	const [first] = choices.agents;
	return {
		connection: connection.label,
		repository,
		branch,
		agent: first?.agent === undefined ? '' : agentName(connection, first.agent),
	};
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
	 * Shows the rows and resolves with the id of the row that was chosen with Enter or by its button, or with undefined
	 * when dismissed. `active` is the row that Enter chooses; if it does not exist, Enter chooses the last row.
	 * `hasChanged` means that the rows shown last are out of date.
	 */
	ask(rows: readonly PreflightRow[], active: string, hasChanged: boolean): Promise<string | undefined> {
		const list = new PickList<PreflightRow, string>(picker => {
			picker.title = this.title;
			picker.placeholder = hasChanged
				? vscode.l10n.t('Something has changed in the meantime. Review it, then continue.')
				: vscode.l10n.t('Select “Start Task” to send it, or another row to change it.');
			picker.ignoreFocusOut = true;
			picker.matchOnDetail = true;
			picker.onDidAccept(() => {
				const id = picker.selectedItems[0]?.id;
				if (id) {
					list.take(id);
				}
			});
			picker.onDidTriggerItemButton(({ item }) => list.take(item.id));
		});
		this.list = list;
		list.show(rows, rows.find(({ id }) => id === active) ?? rows.at(-1));
		return list.result;
	}

	/** Draws the rows again and keeps the active one. Returns false if no list is open. */
	update(rows: readonly PreflightRow[]): boolean {
		const { list } = this;
		if (!list?.current) {
			return false;
		}
		const active = list.active?.id;
		// Without an active row the editor uses the first, which sends nothing.
		list.redraw(
			rows,
			rows.find(({ id }) => id === active),
		);
		return true;
	}
}

/** Lets the user choose one of several fixes. `placeHolder` describes their purpose. */
export function pickFix(fixes: readonly FindingFix[], placeHolder: string): Promise<FindingFix | undefined> {
	const rows = fixes.map(fix => ({ label: `$(${fix.icon}) ${fix.title}`, value: fix }));
	return choose(vscode.l10n.t('Start Task: Options'), rows, { placeHolder, ignoreFocusOut: true });
}
