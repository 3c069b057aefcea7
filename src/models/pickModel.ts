import * as vscode from 'vscode';
import { placeOf } from '../base/hostname.ts';
import { LISTED_MODELS } from '../contract/upstreams.ts';
import { type Choice, inputName, PickList, separator, shownText } from '../platform/pick.ts';
import { askHost, type HostAnswer, type HostContext } from './hosts/askHost.ts';
import { hostProblem, isAboutKey, labelsOf } from './hosts/messages.ts';
import type { ServiceDraft } from './model/serviceDraft.ts';

/** The chosen model, and the address that has it. */
export interface PickedModel {
	model: string;
	url: string;
	/** The models to be written into the entry, if the user has typed a name that the server may not list. */
	models?: string[];
}

type Elsewhere = 'key' | 'address' | 'connection';
type Row = Choice<{ model: string } | 'write' | 'again' | Elsewhere | 'none'>;

/**
 * The end of the list: a model, or the key or the address is to be changed, the service is to be a connection, or the
 * previous step comes again. `answer` is the service's last answer.
 */
export type PickModelEnd = PickedModel | { next: Elsewhere; answer: HostAnswer | undefined } | 'back' | undefined;

const titleOf = ({ label }: ServiceDraft) => vscode.l10n.t('Model of {0}', label);

/**
 * Lists the models of a service, or says why they cannot be listed. `known` is the answer that the service has just
 * given.
 */
export async function pickModel(
	context: HostContext,
	draft: ServiceDraft,
	known: HostAnswer | undefined,
): Promise<PickModelEnd> {
	const leaving = new AbortController();
	try {
		let answer = known;
		for (;;) {
			const end = await showModels(context, draft, answer, leaving.signal);
			if (end === undefined || end === 'back') {
				return end;
			}
			answer = end.answer;
			const { row } = end;
			if (row === 'again') {
				answer = undefined;
			} else if (row === 'write') {
				const model = await inputName(titleOf(draft), vscode.l10n.t('The model’s name on the server'));
				if (model !== undefined) {
					const lists = answer?.state === 'fits' && answer.models !== undefined;
					const models = lists ? [LISTED_MODELS, model] : [model];
					return { model, url: answer?.url ?? draft.url, models };
				}
			} else if (typeof row === 'object') {
				return { model: row.model, url: answer?.url ?? draft.url };
			} else {
				return { next: row, answer };
			}
		}
	} finally {
		leaving.abort();
	}
}

type Shown = { row: Exclude<Row['value'], 'none'>; answer: HostAnswer | undefined };

async function showModels(
	context: HostContext,
	draft: ServiceDraft,
	known: HostAnswer | undefined,
	signal: AbortSignal,
): Promise<Shown | 'back' | undefined> {
	let answer = known;
	const list = new PickList<Row, Shown | 'back'>(picker => {
		picker.title = titleOf(draft);
		picker.placeholder = vscode.l10n.t('Select the model to use in the chat');
		picker.matchOnDescription = true;
		picker.buttons = [vscode.QuickInputButtons.Back];
		picker.ignoreFocusOut = true;
		picker.onDidTriggerButton(() => list.end('back'));
		picker.onDidAccept(() => {
			const row = picker.selectedItems[0]?.value;
			if (row !== undefined && row !== 'none') {
				list.take({ row, answer });
			}
		});
	});
	const rows = () => modelRows(draft, answer);
	// Enter on a row of text would do nothing, so the first row with an action is active.
	const first = (shown: Row[]) => shown.find(({ value, kind }) => value !== 'none' && kind === undefined);
	const asked = rows();
	list.show(asked, first(asked)).busy = answer === undefined;
	if (answer === undefined) {
		void askHost({ kind: 'service', url: draft.url, form: draft.form, key: draft.key }, { ...context, signal }).then(
			came => {
				answer = came;
				if (list.current) {
					const told = rows();
					list.redraw(told, first(told));
					list.current.busy = false;
				}
			},
			() => {},
		);
	}
	return list.result;
}

/** Returns the rows: the models, or the reason why there are none with the possible actions. */
export function modelRows(draft: ServiceDraft, answer: HostAnswer | undefined): Row[] {
	if (answer === undefined) {
		return [{ label: `$(blank) ${vscode.l10n.t('Getting models from {0}…', placeOf(draft.url))}`, value: 'none' }];
	}
	const write: Row = {
		label: `$(edit) ${vscode.l10n.t('Other Model…')}`,
		description: vscode.l10n.t('by its name on the server'),
		value: 'write',
	};
	const connection: Row[] =
		draft.parts === undefined
			? []
			: [
					{
						label: `$(plug) ${vscode.l10n.t('Add It as a Connection…')}`,
						description: vscode.l10n.t('a service with its own tasks, routing or encryption'),
						value: 'connection',
					},
				];
	const listed = answer.state === 'fits' ? answer.models : undefined;
	if (listed !== undefined) {
		return [
			...listed.map(
				({ id, name }): Row => ({
					label: `$(blank) ${shownText(id)}`,
					description: name === undefined || name === null || name === id ? '' : shownText(name),
					value: { model: id },
				}),
			),
			...(listed.length > 0 ? [] : [noModelsRow()]),
			write,
			...connection,
		];
	}
	const again: Row = { label: `$(refresh) ${vscode.l10n.t('Try Again')}`, value: 'again' };
	const key: Row = { label: `$(key) ${vscode.l10n.t('Enter the Key…')}`, value: 'key' };
	const address: Row = { label: `$(link) ${vscode.l10n.t('Change the Address…')}`, value: 'address' };
	const anyway: Row = {
		...write,
		label: `$(edit) ${vscode.l10n.t('Add It Anyway…')}`,
		description: vscode.l10n.t('with a model that you enter'),
	};
	const words = (...sentences: string[]): Row[] => [
		...sentences
			.flatMap((sentence, at) => labelsOf(sentence, at === 0 ? 'warning' : undefined))
			.map((label): Row => ({ label, value: 'none' })),
		separator<Row['value']>(''),
	];
	const error = answer.state === 'failed' || answer.state === 'wants-key' ? answer.error : undefined;
	if (error === undefined) {
		const reason = vscode.l10n.t(
			'{0} responds, but lists no models. Enter one for the chat; the first message shows whether it works.',
			placeOf(draft.url),
		);
		const name: Row = { ...write, label: `$(edit) ${vscode.l10n.t('Enter a Model…')}` };
		return [...words(reason), name, key, address, ...connection];
	}
	const { cause, step } = hostProblem(error, answer.url, 'service', draft.key !== undefined);
	const next = isAboutKey(error) ? [key, again, address] : [again, address, key];
	return [...words(cause, step), ...next, anyway, ...connection];
}

function noModelsRow(): Row {
	return {
		label: `$(info) ${vscode.l10n.t('The server has no models yet')}`,
		detail: `$(blank) ${vscode.l10n.t('Load or download one there, then try again.')}`,
		value: 'again',
	};
}
