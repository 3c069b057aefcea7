import * as vscode from 'vscode';
import { addCosts } from '../base/knownCost.ts';
import { escapeIcons, oneLine } from '../base/plainText.ts';
import { monthOf, type ReplyUse } from '../base/replySums.ts';
import type { ChatView } from '../chat/api.ts';
import { costOfUse, isUsed, type MonthlyUse } from '../contract/agents.ts';
import { LOCAL_CONNECTION_NAME } from '../contract/localConnection.ts';
import type { LanguageModels } from '../languageModels/api.ts';
import type { LocalService } from '../localService/api.ts';
import type { Models } from '../models/api.ts';
import { costText, formatNumber } from '../platform/amounts.ts';
import { errorText } from '../platform/notify.ts';
import { type Choice, choose, separator } from '../platform/pick.ts';
import { withProgress } from '../platform/progressNotice.ts';
import {
	type ConnectionMonths,
	type ConnectionSum,
	type ModelPart,
	type MonthSums,
	monthlyCosts,
} from './model/monthlyCosts.ts';

export interface CostsDependencies {
	connections: Pick<Models, 'all'>;
	localService: Pick<LocalService, 'monthlyUse'>;
	chat: Pick<ChatView, 'use'>;
	languageModels: Pick<LanguageModels, 'use'>;
}

const MAXIMUM_NAME = 80;

interface Costs {
	months: MonthSums[];
	/** Sentences about the records that could not be read. */
	problems: string[];
}

/** Shows the cost of each connection, month by month, and its parts. */
export async function showCosts(dependencies: CostsDependencies): Promise<void> {
	const { months, problems } = await withProgress(vscode.l10n.t('Calculating costs…'), () => readCosts(dependencies));
	let chosen: ConnectionSum | undefined;
	do {
		chosen = await choose(vscode.l10n.t('Costs'), rowsOf(months, problems), {
			placeHolder: vscode.l10n.t('As counted by Errand; a service’s bill may differ'),
			active: chosen,
		});
		if (chosen) {
			await showParts(chosen);
		}
	} while (chosen);
}

async function readCosts({
	connections,
	localService,
	chat: conversations,
	languageModels,
}: CostsDependencies): Promise<Costs> {
	const problems: string[] = [];
	const [names, tasks, chat, others] = await Promise.all([
		connections.all(),
		localService.monthlyUse().catch((error: unknown): MonthlyUse => {
			const reason = errorText(error, vscode.l10n.t('the local service'));
			problems.push(vscode.l10n.t('Couldn’t read the costs of the local service’s tasks: {0}', reason));
			return [];
		}),
		conversations.use().catch((error: unknown): ReplyUse => {
			const reason = errorText(error, vscode.l10n.t('the chat'));
			problems.push(vscode.l10n.t('Couldn’t read the costs of the chat: {0}', reason));
			return { used: [], unreadable: 0 };
		}),
		languageModels.use().catch((error: unknown): ReplyUse => {
			const reason = errorText(error, vscode.l10n.t('the storage of the extension'));
			problems.push(vscode.l10n.t('Couldn’t read the costs of the editor’s chat and other extensions: {0}', reason));
			return { used: [], unreadable: 0 };
		}),
	]);
	if (chat.unreadable > 0) {
		problems.push(
			chat.unreadable === 1
				? vscode.l10n.t('1 conversation couldn’t be read, so its replies aren’t included.')
				: vscode.l10n.t(
						'{0} conversations couldn’t be read, so their replies aren’t included.',
						formatNumber(chat.unreadable),
					),
		);
	}
	if (others.unreadable > 0) {
		problems.push(
			others.unreadable === 1
				? vscode.l10n.t('The cost of 1 reply to another extension couldn’t be read, so it isn’t included.')
				: vscode.l10n.t(
						'The costs of {0} replies to other extensions couldn’t be read, so they aren’t included.',
						formatNumber(others.unreadable),
					),
		);
	}
	const used = [
		{ connection: LOCAL_CONNECTION_NAME, months: tasks.map(taskParts) },
		...chat.used.map(use => replyParts('chat', use)),
		...others.used.map(use => replyParts('others', use)),
	];
	return { months: monthlyCosts(names, used, monthOf(Date.now())), problems };
}

function taskParts({ month, models }: MonthlyUse[number]): ConnectionMonths['months'][number] {
	const parts = models.filter(isUsed).map(
		(use): ModelPart => ({
			kind: 'tasks',
			model: use.model,
			provider: use.provider,
			count: use.calls,
			inputTokens: use.inputTokens ?? 0,
			outputTokens: use.outputTokens ?? 0,
			cost: costOfUse(use),
		}),
	);
	return { month, parts };
}

function replyParts(
	kind: Exclude<ModelPart['kind'], 'tasks'>,
	{ connection, months }: ReplyUse['used'][number],
): ConnectionMonths {
	return {
		connection,
		months: months.map(({ month, parts }) => ({ month, parts: parts.map(part => ({ ...part, kind })) })),
	};
}

function rowsOf(months: readonly MonthSums[], problems: readonly string[]): Choice<ConnectionSum | undefined>[] {
	const rows = months.flatMap(({ month, sums }) => [
		separator<ConnectionSum | undefined>(monthText(month)),
		...sums.map(sum => ({ ...sumRow(sum), value: sum })),
	]);
	const notes = problems.map(label => ({ label, value: undefined, iconPath: new vscode.ThemeIcon('warning') }));
	return [...notes, ...rows];
}

function sumRow({ connection, parts, cost }: ConnectionSum): vscode.QuickPickItem {
	const isLocal = connection?.name === LOCAL_CONNECTION_NAME;
	const texts = [
		isLocal ? partText('tasks', parts) : undefined,
		partText('chat', parts),
		parts.some(({ kind }) => kind === 'others') ? partText('others', parts) : undefined,
		// The contract has no field for the cost of a task.
		!isLocal && connection?.hasTasks
			? vscode.l10n.t('tasks: cost not known because the service doesn’t report it')
			: undefined,
	];
	return {
		label: connection ? escapeIcons(oneLine(connection.label, MAXIMUM_NAME)) : vscode.l10n.t('Connection not recorded'),
		description: cost ? costText(cost) : vscode.l10n.t('nothing counted'),
		detail: texts.filter(text => text !== undefined).join(' · '),
		iconPath: new vscode.ThemeIcon(isLocal ? 'server-process' : 'plug'),
	};
}

function partText(kind: ModelPart['kind'], parts: readonly ModelPart[]): string {
	const cost = addCosts(parts.filter(part => part.kind === kind).map(part => part.cost));
	const text = cost ? costText(cost) : vscode.l10n.t('nothing');
	return {
		tasks: vscode.l10n.t('tasks: {0}', text),
		chat: vscode.l10n.t('chat: {0}', text),
		others: vscode.l10n.t('other extensions: {0}', text),
	}[kind];
}

/** Shows the models and providers of which a sum consists. Choosing one goes back. */
async function showParts({ connection, parts }: ConnectionSum): Promise<void> {
	const title = oneLine(connection?.label ?? vscode.l10n.t('Connection not recorded'), MAXIMUM_NAME);
	const rows = parts.map(part => ({ ...partRow(part), value: part }));
	const none = { label: vscode.l10n.t('Nothing was counted this month.'), value: undefined };
	await choose<ModelPart | undefined>(title, rows.length === 0 ? [none] : rows);
}

function partRow({ kind, model, provider, count, inputTokens, outputTokens, cost }: ModelPart): vscode.QuickPickItem {
	const counted =
		count === undefined
			? undefined
			: kind === 'tasks'
				? count === 1
					? vscode.l10n.t('1 request')
					: vscode.l10n.t('{0} requests', formatNumber(count))
				: count === 1
					? vscode.l10n.t('1 reply')
					: vscode.l10n.t('{0} replies', formatNumber(count));
	const details = [
		kindText(kind),
		counted,
		inputTokens + outputTokens === 0
			? vscode.l10n.t('tokens not known')
			: vscode.l10n.t('{0} tokens in, {1} out', formatNumber(inputTokens), formatNumber(outputTokens)),
	];
	const shown = oneLine(model, MAXIMUM_NAME);
	return {
		label: escapeIcons(
			provider === undefined ? shown : vscode.l10n.t('{0} by {1}', shown, oneLine(provider, MAXIMUM_NAME)),
		),
		description: costText(cost),
		detail: details.filter(text => text !== undefined).join(' · '),
	};
}

function kindText(kind: ModelPart['kind']): string {
	return {
		tasks: vscode.l10n.t('Tasks'),
		chat: vscode.l10n.t('Chat'),
		others: vscode.l10n.t('Editor’s chat and other extensions'),
	}[kind];
}

function monthText(month: string): string {
	// No time zone can move a date in the middle of a month to another month.
	return new Date(`${month}-15T12:00:00`).toLocaleDateString(vscode.env.language, { month: 'long', year: 'numeric' });
}
