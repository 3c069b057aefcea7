import * as vscode from 'vscode';
import type { ChatParameter, ChatParameters } from '../../contract/chatRequest.ts';
import { type Choice, choose, input } from '../../platform/pick.ts';
import { CHAT_PARAMETERS, readParameter } from '../model/parameterRange.ts';
import { valueText } from './messages.ts';
import { allowedParameter } from './readChatSettings.ts';

export interface ParameterTarget {
	/** The parameters of the user's settings. */
	defaults: ChatParameters;
	/** The parameters of the conversation itself. */
	read(): ChatParameters;
	write(parameters: ChatParameters): Promise<void>;
	/** The context length of the model, if known. */
	contextLength: number | undefined;
}

/** Edits a conversation's parameters one by one. Each change is stored at once; Escape ends the editing. */
export async function editParameters(target: ParameterTarget): Promise<void> {
	const title = vscode.l10n.t('Model Parameters of This Conversation');
	let last: ChatParameter | undefined;
	for (;;) {
		const own = target.read();
		const items: Choice<ChatParameter>[] = CHAT_PARAMETERS.map(name => ({
			label: name,
			description:
				own[name] !== undefined
					? valueText(own[name])
					: target.defaults[name] !== undefined
						? vscode.l10n.t('{0} (from the settings)', valueText(target.defaults[name]))
						: valueText(undefined),
			detail: parameterDetails[name],
			value: name,
		}));
		const placeHolder = vscode.l10n.t('Select a parameter to change; press Escape when done');
		const name = await choose(title, items, { placeHolder, active: last });
		if (name === undefined) {
			return;
		}
		last = name;
		const allowed = allowedParameter(name, target.contextLength);
		const value = own[name];
		const text = await input(
			`${title}: ${name}`,
			`${parameterDetails[name]}. ${allowed} ${vscode.l10n.t('Leave empty to use the settings.')}`,
			value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value),
			typed =>
				typed.trim() === '' || readParameter(name, typed, target.contextLength) !== undefined ? undefined : allowed,
		);
		if (text !== undefined) {
			const { [name]: _, ...others } = own;
			const typed = text.trim() === '' ? undefined : readParameter(name, text, target.contextLength);
			await target.write(typed === undefined ? others : { ...others, [name]: typed });
		}
	}
}

const parameterDetails: Record<ChatParameter, string> = {
	max_tokens: vscode.l10n.t('The longest reply, in tokens'),
	temperature: vscode.l10n.t('How freely words are chosen; 0 takes the most likely one'),
	seed: vscode.l10n.t('The same request with the same seed gives the same reply, where the provider can'),
	top_p: vscode.l10n.t('Only the most likely words whose probabilities add up to this share'),
	top_k: vscode.l10n.t('Only this many of the most likely words'),
	frequency_penalty: vscode.l10n.t('Makes words less likely the more often they were used'),
	presence_penalty: vscode.l10n.t('Makes words less likely once they were used'),
	repetition_penalty: vscode.l10n.t('Above 1 makes repetition less likely, below 1 more likely'),
	logit_bias: vscode.l10n.t('Makes tokens more or less likely, by token ID'),
	top_logprobs: vscode.l10n.t('For how many of the most likely tokens the service returns probabilities'),
	min_p: vscode.l10n.t('Leaves out words below this share of the most likely word’s probability'),
	top_a: vscode.l10n.t('Leaves out words depending on how sure the model is of the most likely one'),
	stop: vscode.l10n.t('Texts at which the reply ends'),
	response_format: vscode.l10n.t('The format of the reply, sent as it is'),
	user: vscode.l10n.t('A name that identifies you to the service; sent only when it is set'),
};
