import * as vscode from 'vscode';
import { withoutCredentials } from '../base/remoteUrl.ts';
import type { PipeParsed } from '../contract/editorPipe.ts';
import type { Task } from '../contract/tasks.ts';
import { timeLimitText } from '../platform/amounts.ts';
import type { ShownFollowUp, ShownLaunch, ShownStop } from './api.ts';
import type { Question } from './server/access.ts';

type Part = Question['parts'][number];

export function startQuestion(shown: ShownLaunch): Question {
	const { prompt, connection, repository, branch, agents, what, where, findings, hasChanged } = shown;
	return {
		title: hasChanged
			? vscode.l10n.t('Something has changed in the meantime. Another agent wants to start this task:')
			: vscode.l10n.t('Another agent wants to start this task:'),
		yes: vscode.l10n.t('Start Task'),
		parts: [
			connectionPart(connection),
			{ name: vscode.l10n.t('Repository'), text: withoutCredentials(repository) },
			{ name: vscode.l10n.t('Branch'), text: branch },
			{ name: vscode.l10n.t('Agent'), text: agents.join(', ') || vscode.l10n.t('as the service decides') },
			{ name: vscode.l10n.t('Sent'), text: what },
			{ name: vscode.l10n.t('Result'), text: where },
			...findings.map(({ text, detail }) => ({
				name: vscode.l10n.t('Note'),
				text: detail === undefined ? text : `${text}. ${detail}`,
			})),
			{ name: vscode.l10n.t('Prompt'), text: prompt },
		],
	};
}

export function continueQuestion({ task, prompt, connection, from }: ShownFollowUp): Question {
	return {
		title: from
			? vscode.l10n.t('Another agent wants to start a new task from the branch of this one:')
			: vscode.l10n.t('Another agent wants to continue this task:'),
		yes: from ? vscode.l10n.t('Start Task') : vscode.l10n.t('Continue Task'),
		parts: [
			connectionPart(connection),
			...taskParts(task),
			...(from ? [{ name: vscode.l10n.t('Note'), text: from.text }, ...newTaskParts(task)] : []),
			{ name: vscode.l10n.t('Next prompt'), text: prompt },
		],
	};
}

export function stopQuestion({ task, connection }: ShownStop): Question {
	return {
		title: vscode.l10n.t('Another agent wants to stop this task. Its agent’s unfinished work may be lost.'),
		yes: vscode.l10n.t('Stop Task'),
		parts: [connectionPart(connection), ...taskParts(task)],
	};
}

export function searchQuestion(connection: string, query: string): Question {
	return {
		title: vscode.l10n.t('Another agent wants to search the web:'),
		yes: vscode.l10n.t('Search'),
		parts: [connectionPart(connection), { name: vscode.l10n.t('Query'), text: query }],
	};
}

export function decideQuestion(connection: string, { state, questions }: PipeParsed<'decide'>): Question {
	return {
		title: vscode.l10n.t('Another agent wants to ask a model for a decision:'),
		yes: vscode.l10n.t('Ask'),
		parts: [
			connectionPart(connection),
			{ name: vscode.l10n.t('State'), text: JSON.stringify(state, undefined, 2) },
			{ name: vscode.l10n.t('Questions'), text: JSON.stringify(questions, undefined, 2) },
		],
	};
}

/** Returns the settings that a new task takes over from the one before. */
function newTaskParts({ installDependencies, maxDuration = 0 }: Task): Part[] {
	const dependencies = installDependencies ? vscode.l10n.t('installed first') : vscode.l10n.t('not installed');
	const time = maxDuration > 0 ? timeLimitText(maxDuration) : vscode.l10n.t('as the service decides');
	return [
		...(installDependencies === undefined ? [] : [{ name: vscode.l10n.t('Dependencies'), text: dependencies }]),
		{ name: vscode.l10n.t('Time'), text: time },
	];
}

const connectionPart = (text: string): Part => ({ name: vscode.l10n.t('Connection'), text });

function taskParts({ id, repoUrl, branchName, selectedAgent, selectedModel, prompt }: Task): Part[] {
	const parts: [string, string | undefined][] = [
		[vscode.l10n.t('Task'), id],
		[vscode.l10n.t('Repository'), repoUrl && withoutCredentials(repoUrl)],
		[vscode.l10n.t('Branch'), branchName],
		[vscode.l10n.t('Agent'), selectedModel === undefined ? selectedAgent : `${selectedAgent ?? ''} (${selectedModel})`],
		[vscode.l10n.t('First prompt'), prompt],
	];
	return parts.flatMap(([name, text]) => (text ? [{ name, text }] : []));
}
