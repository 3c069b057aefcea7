import * as vscode from 'vscode';
import { placeOf } from '../../base/hostname.ts';
import { hasInvisible } from '../../base/invisible.ts';
import { isAboutKey, labelsOf } from '../../platform/addressMessages.ts';
import { type Choice, input, PickList, separator } from '../../platform/pick.ts';
import { askServer, type ServerAnswer } from './askServer.ts';
import { rowName } from './pickServer.ts';
import type { AskContext, ServerDraft } from './serverDraft.ts';
import { serverProblem } from './serverMessages.ts';

/** The model that was chosen, and the address that lists it. `isWritten`: the user typed a name that no list has. */
export interface PickedModel {
	model: string;
	url: string;
	isWritten: boolean;
}

type Row = Choice<{ model: string } | 'write' | 'again' | 'key' | 'address' | 'none'>;

/** What the list leads to beside a model: the key or the address is to be changed, or the step before comes again. */
export type PickModelEnd = PickedModel | 'key' | 'address' | 'back' | undefined;

const MAXIMUM_NAME = 200;

/** Lists the models of a server, or says why they cannot be listed. `known` is what the server has just answered. */
export async function pickModel(
	context: AskContext,
	draft: ServerDraft,
	known: ServerAnswer | undefined,
): Promise<PickModelEnd> {
	const leaving = new AbortController();
	try {
		let answer = known;
		for (;;) {
			const end = await showModels(context, draft, answer, leaving.signal);
			if (end === undefined || end === 'back' || end === 'key' || end === 'address') {
				return end;
			}
			answer = end.answer;
			if (end.row === 'again') {
				answer = undefined;
			} else if (end.row === 'write') {
				const model = await writeModel(draft);
				if (model !== undefined) {
					return { model, url: answer?.url ?? draft.url, isWritten: true };
				}
			} else {
				return { model: end.row.model, url: answer?.url ?? draft.url, isWritten: false };
			}
		}
	} finally {
		leaving.abort();
	}
}

type Shown = { row: { model: string } | 'write' | 'again'; answer: ServerAnswer | undefined };

async function showModels(
	context: AskContext,
	draft: ServerDraft,
	known: ServerAnswer | undefined,
	signal: AbortSignal,
): Promise<Shown | 'key' | 'address' | 'back' | undefined> {
	let answer = known;
	const list = new PickList<Row, Shown | 'key' | 'address' | 'back'>(picker => {
		picker.title = vscode.l10n.t('Model of {0}', draft.label);
		picker.placeholder = vscode.l10n.t('The model that chat uses from now on');
		picker.matchOnDescription = true;
		picker.buttons = [vscode.QuickInputButtons.Back];
		picker.ignoreFocusOut = true;
		picker.busy = answer === undefined;
		picker.onDidTriggerButton(() => list.end('back'));
		picker.onDidAccept(() => {
			const row = picker.selectedItems[0]?.value;
			if (row === 'key' || row === 'address') {
				list.end(row);
			} else if (row !== undefined && row !== 'none') {
				list.end({ row, answer });
			}
		});
	});
	const show = () => {
		const rows = modelRows(draft, answer);
		// Enter on words would do nothing, so the first row that does something is active.
		list.show(
			rows,
			rows.find(({ value, kind }) => value !== 'none' && kind === undefined),
		);
	};
	show();
	if (answer === undefined) {
		void askServer({ url: draft.url, key: draft.key }, { ...context, signal }).then(
			came => {
				answer = came;
				if (list.current) {
					show();
				}
			},
			() => {},
		);
	}
	return list.result;
}

/** The rows: the models, or the reason why there are none and what can be done about it. */
export function modelRows(draft: ServerDraft, answer: ServerAnswer | undefined): Row[] {
	if (answer === undefined) {
		return [{ label: `$(blank) ${vscode.l10n.t('Asking {0} for its models…', placeOf(draft.url))}`, value: 'none' }];
	}
	const write: Row = {
		label: `$(edit) ${vscode.l10n.t('Other Model…')}`,
		description: vscode.l10n.t('by the name that the server knows'),
		value: 'write',
	};
	if ('models' in answer) {
		return [
			...answer.models.map(
				({ id, name }): Row => ({
					label: `$(blank) ${rowName(id)}`,
					description: name === undefined || name === null || name === id ? '' : rowName(name),
					value: { model: id },
				}),
			),
			...(answer.models.length > 0 ? [] : [noModelsRow()]),
			write,
		];
	}
	const { cause, step } = serverProblem(answer.error, answer.url, draft.key !== undefined);
	const again: Row = { label: `$(refresh) ${vscode.l10n.t('Try Again')}`, value: 'again' };
	const key: Row = { label: `$(key) ${vscode.l10n.t('Enter the Key…')}`, value: 'key' };
	const address: Row = { label: `$(link) ${vscode.l10n.t('Change the Address…')}`, value: 'address' };
	const next = isAboutKey(answer.error) ? [key, again, address] : [again, address, key];
	return [
		...[...labelsOf(cause, 'warning'), ...labelsOf(step)].map((label): Row => ({ label, value: 'none' })),
		separator<Row['value']>(''),
		...next,
		{
			...write,
			label: `$(edit) ${vscode.l10n.t('Add It Anyway…')}`,
			description: vscode.l10n.t('with a model that you name'),
		},
	];
}

function noModelsRow(): Row {
	return {
		label: `$(info) ${vscode.l10n.t('The server has no model yet')}`,
		detail: `$(blank) ${vscode.l10n.t('Load or download one there, then try again.')}`,
		value: 'again',
	};
}

async function writeModel({ label }: ServerDraft): Promise<string | undefined> {
	const title = vscode.l10n.t('Model of {0}', label);
	const name = await input(title, vscode.l10n.t('The model’s name as the server knows it'), '', text => {
		const typed = text.trim();
		return typed !== '' && typed.length <= MAXIMUM_NAME && !/\s/.test(typed) && !hasInvisible(typed)
			? undefined
			: vscode.l10n.t('Enter a name without blanks.');
	});
	return name?.trim();
}
