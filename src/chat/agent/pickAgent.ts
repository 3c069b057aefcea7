import * as vscode from 'vscode';
import { escapeIcons } from '../../base/plainText.ts';
import { agentProblemText } from '../../platform/agentProblemMessages.ts';
import { executeCommand } from '../../platform/commands.ts';
import { commands } from '../../platform/ids.ts';
import { type Choice, PickList, separator } from '../../platform/pick.ts';
import type { Chat } from '../conversation/chat.ts';
import type { AgentChoice } from './agentChoice.ts';

/** Lets the user choose the agent of a conversation. Resolves with its id; undefined where the user leaves. */
export async function pickAgent(
	chat: Chat,
	choice: AgentChoice,
	model: string | undefined,
): Promise<string | undefined> {
	const report = await choice.report(model);
	const current = choice.idOf(chat.conversation);
	const usable = report.agents.filter(({ problem }) => problem === undefined);
	const others = report.agents.filter(({ problem, install }) => problem !== undefined && install === undefined);
	const rows: Choice<string | undefined>[] = [
		...usable.map(({ id, label, version }) => ({
			label: escapeIcons(label),
			description: [version, id === current ? vscode.l10n.t('current') : undefined].filter(Boolean).join(' · '),
			value: id,
		})),
		...(others.length === 0 ? [] : [separator<string | undefined>(vscode.l10n.t('Not usable now'))]),
		...others.map(({ label, problem }) => ({
			label: `$(circle-slash) ${escapeIcons(label)}`,
			...(problem ? { detail: agentProblemText(problem) } : {}),
			value: '',
		})),
		separator<string | undefined>(''),
		{ label: vscode.l10n.t('$(gear) Set Up Agents…'), value: undefined },
	];
	const list = new PickList<Choice<string | undefined>, { id: string | undefined }>(picker => {
		picker.title = vscode.l10n.t('Agent of This Conversation');
		picker.placeholder = vscode.l10n.t('It works on a copy of your folder, with the model of the conversation');
		picker.matchOnDescription = true;
		picker.onDidAccept(() => {
			const [row] = picker.selectedItems;
			if (row && row.value !== '') {
				list.end({ id: row.value });
			}
		});
	});
	list.show(
		rows,
		rows.find(({ value }) => value === current),
	);
	const chosen = await list.result;
	if (chosen && chosen.id === undefined) {
		await executeCommand(commands.setUpAgents);
	}
	return chosen?.id;
}
