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
				'Not sent: “{0}” isn’t an image that models accept. Use PNG, JPEG, GIF or WebP.',
				oneLine(problem.type, MAXIMUM_NAME),
			);
		case 'images-too-large':
			return vscode.l10n.t('Not sent: the images are larger than 11 MB in total. Send fewer or smaller ones.');
		case 'empty':
			return vscode.l10n.t('Not sent: the messages contain no text or image. Write a message first.');
	}
}

export function replyProblemText(problem: ReplyProblem, model: string): string {
	switch (problem.kind) {
		case 'arguments':
			return vscode.l10n.t(
				'{0} called the tool “{1}” with arguments that aren’t a JSON object, so the tool wasn’t run. Try again.',
				model,
				oneLine(problem.tool, MAXIMUM_NAME),
			);
		case 'cut':
			return vscode.l10n.t(
				'The reply of {0} reached its maximum length while it called the tool “{1}”, so the tool wasn’t run. Ask for less at once, or select a model with longer replies.',
				model,
				oneLine(problem.tool, MAXIMUM_NAME),
			);
		case 'too-many-calls':
			return vscode.l10n.t(
				'{0} called too many tools at once, so the reply was ended. Try again, or select a different model.',
				model,
			);
		case 'too-long':
			return vscode.l10n.t(
				'The reply of {0} didn’t end, so it was stopped. Try again, or select a different model.',
				model,
			);
		case 'filtered':
			return vscode.l10n.t('The service’s content filter stopped the reply of {0}. Rephrase your request.', model);
	}
}

export function otherConnectionText(model: string, connection: string): string {
	return vscode.l10n.t(
		'Not sent: {0} is a model of a different connection, and {1} is in use. Select one of its models.',
		model,
		connection,
	);
}
