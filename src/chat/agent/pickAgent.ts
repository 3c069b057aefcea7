import * as vscode from 'vscode';
import type { AgentOption } from '../../agents/session/events.ts';
import { defined } from '../../base/defined.ts';
import { escapeIcons } from '../../base/plainText.ts';
import { agentProblemText } from '../../platform/agentProblemMessages.ts';
import { executeCommand } from '../../platform/commands.ts';
import { commands } from '../../platform/ids.ts';
import { type Choice, choose, PickList, separator, shownText } from '../../platform/pick.ts';
import type { Chat } from '../conversation/chat.ts';
import type { AvailableAgents } from './availableAgents.ts';

/** The chosen agent, or one of its options with the chosen value. */
export interface PickedAgent {
	id: string;
	option?: { id: string; value: string };
}

type Row =
	| { kind: 'agent'; id: string }
	| { kind: 'option'; option: AgentOption; value: string }
	| { kind: 'set-up' | 'unusable' };

/**
 * Lets the user choose the agent of a conversation, or one of the options that the current one has reported. Resolves
 * to undefined if the user cancels.
 */
export async function pickAgent(
	chat: Chat,
	agents: AvailableAgents,
	model: string | undefined,
	options: Readonly<Record<string, readonly AgentOption[]>>,
): Promise<PickedAgent | undefined> {
	const report = await agents.report(model);
	const current = agents.idOf(chat.conversation);
	const usable = report.agents.filter(({ problem }) => problem === undefined);
	const others = report.agents.filter(({ problem, install }) => problem !== undefined && install === undefined);
	const own = options[current] ?? [];
	const chosen = new Map(Object.entries(chat.conversation.settings?.agentOptions?.[current] ?? {}));
	const rows: Choice<Row>[] = [
		...usable.map(({ id, label, version }) => ({
			label: escapeIcons(label),
			description: [version, id === current ? vscode.l10n.t('current') : undefined].filter(Boolean).join(' · '),
			value: { kind: 'agent', id } as const,
		})),
		...(own.length === 0 ? [] : [separator<Row>(vscode.l10n.t('Options of the current agent'))]),
		...own.map(option => {
			const value = chosen.get(option.id) ?? option.value;
			return {
				label: `$(settings) ${shownText(option.name)}`,
				description: shownText(option.values.find(candidate => candidate.value === value)?.name ?? value),
				value: { kind: 'option', option, value } as const,
			};
		}),
		...(others.length === 0 ? [] : [separator<Row>(vscode.l10n.t('Unavailable'))]),
		...others.map(({ label, problem }) => ({
			label: `$(circle-slash) ${escapeIcons(label)}`,
			...defined({ detail: problem && agentProblemText(problem) }),
			value: { kind: 'unusable' } as const,
		})),
		separator<Row>(''),
		{ label: vscode.l10n.t('$(gear) Set Up Agents…'), value: { kind: 'set-up' } },
	];
	const list = new PickList<Choice<Row>, Row>(picker => {
		picker.title = vscode.l10n.t('Agent of This Conversation');
		picker.placeholder = vscode.l10n.t('It works with the model of the conversation');
		picker.matchOnDescription = true;
		picker.onDidAccept(() => {
			const [row] = picker.selectedItems;
			if (row && row.value.kind !== 'unusable') {
				list.end(row.value);
			}
		});
	});
	list.show(
		rows,
		rows.find(({ value }) => value?.kind === 'agent' && value.id === current),
	);
	const row = await list.result;
	switch (row?.kind) {
		case 'agent':
			return { id: row.id };
		case 'option': {
			const value = await chooseValue(row.option, row.value);
			return value === undefined ? undefined : { id: current, option: { id: row.option.id, value } };
		}
		case 'set-up':
			await executeCommand(commands.setUpAgents);
			return undefined;
		default:
			return undefined;
	}
}

function chooseValue({ name, values }: AgentOption, current: string): Promise<string | undefined> {
	const rows = values.map(({ value, name: label }) => ({
		label: shownText(label),
		...defined({ description: value === current ? vscode.l10n.t('current') : undefined }),
		value,
	}));
	return choose(shownText(name), rows, { active: current });
}
