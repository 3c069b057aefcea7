import * as vscode from 'vscode';
import { placeOf } from '../base/hostname.ts';
import { LISTED_MODELS } from '../contract/upstreams.ts';
import { type Choice, choose, inputName, NO_ICON, separator, shownText } from '../platform/pick.ts';
import { type AskingContext, askHost, type HostAnswer } from './hosts/askHost.ts';
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
type Row = Choice<{ model: string } | 'write' | 'again' | Elsewhere | 'none' | 'back'>;

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
	context: AskingContext,
	draft: ServiceDraft,
	known: HostAnswer | undefined,
): Promise<PickModelEnd> {
	const { url, form, key } = draft;
	const ask = () => askHost({ kind: 'service', url, form, key }, context);
	let answer = known;
	const asked = async () => {
		answer = await ask();
		return modelRows(draft, answer);
	};
	for (;;) {
		const isKnown = answer !== undefined;
		const row = await choose(titleOf(draft), modelRows(draft, answer), {
			placeHolder: vscode.l10n.t('Select the model to use in the chat'),
			// Enter on a row of text would do nothing, so the first row with an action is active.
			isActive: ({ value }) => value !== 'none',
			isChoice: ({ value }) => value !== 'none',
			later: isKnown ? undefined : { items: asked() },
			back: 'back',
			ignoreFocusOut: true,
		});
		switch (row) {
			case undefined:
			case 'none':
			case 'back':
				return row === 'back' ? 'back' : undefined;
			case 'again':
				answer = undefined;
				break;
			case 'write': {
				const model = await inputName(titleOf(draft), vscode.l10n.t('The model’s name on the server'));
				if (model !== undefined) {
					const lists = answer?.state === 'fits' && answer.models !== undefined;
					return { model, url: answer?.url ?? url, models: lists ? [LISTED_MODELS, model] : [model] };
				}
				break;
			}
			case 'key':
			case 'address':
			case 'connection':
				return { next: row, answer };
			default:
				return { model: row.model, url: answer?.url ?? url };
		}
	}
}

/** Returns the rows: the models, or the reason why there are none with the possible actions. */
export function modelRows(draft: ServiceDraft, answer: HostAnswer | undefined): Row[] {
	if (answer === undefined) {
		return [{ label: `${NO_ICON} ${vscode.l10n.t('Getting models from {0}…', placeOf(draft.url))}`, value: 'none' }];
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
					label: `${NO_ICON} ${shownText(id)}`,
					description: name === undefined || name === null || name === id ? '' : shownText(name),
					value: { model: id },
				}),
			),
			...(listed.length > 0
				? []
				: [
						{
							label: `$(info) ${vscode.l10n.t('The server has no models yet')}`,
							detail: `${NO_ICON} ${vscode.l10n.t('Load or download one there, then try again.')}`,
							value: 'again' as const,
						},
					]),
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
