import * as vscode from 'vscode';
import type { EditorOutcome, LaunchFinding, PipeParsed } from '../../contract/editorPipe.ts';
import type { ShownLaunch } from '../../mcp/api.ts';
import { refusedByUser } from '../../platform/refusalMessages.ts';
import type { TaskConnection } from '../model/taskConnection.ts';
import { type ConfirmedLaunch, LaunchCheck, type LaunchCheckDependencies } from './launchCheck.ts';
import type { LaunchAgent } from './launchChoices.ts';
import { namedSubject } from './pickSubject.ts';
import { launchFindings, sentTexts } from './preflightList.ts';

/** A request of another program to start a task. */
export type LaunchRequest = PipeParsed<'start'>;

/** Asks the user whether exactly this may be sent. */
export type AllowLaunch = (shown: ShownLaunch) => Promise<boolean>;

/** A confirmed launch, with the part of it that the program is told. */
export interface AllowedLaunch {
	confirmed: ConfirmedLaunch;
	findings: LaunchFinding[];
	sent: string;
}

/**
 * Checks the repository for a program's task, as the preflight does, and asks the user. The user's last choices for the
 * repository apply, except where the program names others. Rejects with an error to be explained.
 */
export async function askLaunch(
	dependencies: LaunchCheckDependencies,
	wish: LaunchRequest,
	allow: AllowLaunch,
): Promise<EditorOutcome<AllowedLaunch>> {
	const subject = await namedSubject(dependencies.subjects, wish);
	const check = new LaunchCheck(dependencies, wish.prompt, subject, () => {});
	const agents = agentsOf(check.connection, check.choices.agents, wish);
	if (typeof agents === 'string') {
		return { done: false, reason: agents };
	}
	// Uncommitted changes are never taken along: the question could not show all of them, and the program that asks may
	// change them meanwhile.
	check.choose({ agents, changes: 'leave' });
	await read(check);
	for (let hasChanged = false; ; hasChanged = true) {
		const view = check.view(() => []);
		const findings = launchFindings(view);
		const plan = check.plan();
		const sent = sentTexts(view);
		const blocking = findings.find(({ isBlocking }) => isBlocking);
		if (!plan || !sent || blocking) {
			return {
				done: false,
				reason: vscode.l10n.t(
					'The task can’t be started yet: {0}. The user can change that in the editor, with “Errand: Start Task”.',
					blocking?.text ?? '',
				),
				findings,
			};
		}
		const shownState = check.state();
		const shown: ShownLaunch = {
			prompt: wish.prompt,
			connection: check.connection.label,
			repository: plan.repoUrl,
			branch: view.branch,
			agents: agents.map(choiceText),
			what: sent.what,
			where: sent.where,
			findings,
			hasChanged,
		};
		if (!(await allow(shown))) {
			return { done: false, reason: refusedByUser(), findings };
		}
		// The user takes time to answer, and exactly what was shown must be sent.
		await read(check);
		const planNow = check.plan();
		if (planNow && check.state() === shownState) {
			return { done: true, value: { confirmed: check.confirmed(planNow), findings, sent: sent.what } };
		}
	}
}

async function read(check: LaunchCheck): Promise<void> {
	await check.gather();
	check.askNeeds();
	await Promise.all([check.needs.settled(), check.serviceAnswer]);
}

/** Returns the agents of the launch, or a sentence that says why the named agent cannot be used. */
function agentsOf(
	{ agents, label }: TaskConnection,
	usual: readonly LaunchAgent[],
	{ agent, model }: LaunchRequest,
): readonly LaunchAgent[] | string {
	if (agent === undefined && model === undefined) {
		return usual;
	}
	const id = agent ?? usual[0]?.agent;
	const found = agents.find(offered => offered.id === id);
	if (agents.length > 0 && !found) {
		const names = agents.map(offered => offered.id).join(', ');
		return vscode.l10n.t('{0} has no agent “{1}”. It has: {2}.', label, id ?? '', names);
	}
	return [{ agent: id, model: model ?? found?.models[0], isWritten: model !== undefined }];
}

const choiceText = ({ agent, model }: LaunchAgent): string =>
	model === undefined ? (agent ?? '') : `${agent ?? ''} (${model})`.trim();
