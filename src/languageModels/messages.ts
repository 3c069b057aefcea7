import * as vscode from 'vscode';
import { oneLine } from '../base/plainText.ts';
import type { ReplyProblem } from './model/replyReader.ts';
import type { MessageProblem } from './model/toMessages.ts';

/** Names of tools and types come from others. */
const MAXIMUM_NAME = 80;

export function messageProblemText(problem: MessageProblem): string {
	switch (problem.kind) {
		case 'no-image':
			return vscode.l10n.t(
				'Not sent: what is named “{0}” is not an image that models accept. Send PNG, JPEG, GIF or WebP.',
				oneLine(problem.type, MAXIMUM_NAME),
			);
		case 'images-too-large':
			return vscode.l10n.t('Not sent: the images are larger than 11 MB in total. Send fewer or smaller ones.');
		case 'empty':
			return vscode.l10n.t('Not sent: the messages hold no text and no image. Write a message first.');
	}
}

export function replyProblemText(problem: ReplyProblem, model: string): string {
	switch (problem.kind) {
		case 'arguments':
			return vscode.l10n.t(
				'{0} called the tool “{1}” with arguments that are no JSON object, so the tool was not run. Try again.',
				model,
				oneLine(problem.tool, MAXIMUM_NAME),
			);
		case 'cut':
			return vscode.l10n.t(
				'The reply of {0} was cut at its maximum length while it called the tool “{1}”, so the tool was not run. Ask for less at once, or choose a model with longer replies.',
				model,
				oneLine(problem.tool, MAXIMUM_NAME),
			);
		case 'too-many-calls':
			return vscode.l10n.t(
				'{0} called more tools at once than anyone can run, so the reply was ended. Try again, or choose another model.',
				model,
			);
		case 'too-long':
			return vscode.l10n.t(
				'The reply of {0} did not end, so it was ended here. Ask again, or choose another model.',
				model,
			);
		case 'filtered':
			return vscode.l10n.t('The service’s content filter stopped the reply of {0}. Ask in other words.', model);
	}
}

export function otherConnectionText(model: string, connection: string): string {
	return vscode.l10n.t(
		'Not sent: {0} is a model of another connection, and {1} is in use now. Choose one of its models.',
		model,
		connection,
	);
}

/** Returns why others may not use the models, and which setting decides that. */
export function noAccessText(): string {
	return vscode.l10n.t(
		'Not sent: you have not allowed others to use the models of Errand. The setting errand.languageModels.access decides.',
	);
}

/** Names the provider of the last reply in this window. */
export function servedLastText(provider: string): string {
	return vscode.l10n.t('Served last by {0}.', provider);
}

export function assumedLengthText(tokens: string): string {
	return vscode.l10n.t('The connection does not say how much it takes: {0} tokens are assumed.', tokens);
}
