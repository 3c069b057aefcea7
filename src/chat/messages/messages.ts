import * as vscode from 'vscode';
import type { Explanation } from '../../platform/notify.ts';
import type { ChatNotice } from '../conversation/chatOptions.ts';
import type { OpenFailure } from '../conversation/openConversations.ts';
import { encryptionStrings, goneText } from '../encrypted/messages.ts';
import type { FinishProblem } from '../model/conversation.ts';
import { sourcesCutText } from '../modes/messages.ts';
import { policyStrings } from '../policy/strings.ts';
import type { PageStrings } from '../protocol/protocol.ts';
import type { Repair } from '../storage/conversationStore.ts';

/** Returns the page's texts. The page fills in the numbers in braces. */
export function pageStrings(): PageStrings {
	return {
		addContext: vscode.l10n.t('Add Context… (or type #)'),
		apply: vscode.l10n.t('Apply…'),
		ask: vscode.l10n.t('Ask a question'),
		attached: vscode.l10n.t('Context of this message'),
		cancel: vscode.l10n.t('Cancel'),
		chipAdded: vscode.l10n.t('{0} was added to the context.'),
		chipCut: vscode.l10n.t('shortened'),
		chipHelp: vscode.l10n.t('{0}. {1}. Press Delete to remove it.'),
		chipRemoved: vscode.l10n.t('{0} was removed from the context.'),
		chipImage: vscode.l10n.t('{0} × {1} pixels, {2} KB, about {3} tokens (estimate)'),
		chipShortened: vscode.l10n.t('{0}, shortened by {1}'),
		chipSize: vscode.l10n.t('{0} characters, about {1} tokens (estimate)'),
		closed: vscode.l10n.t('The reply was cut off when the window closed or its extensions stopped.'),
		code: vscode.l10n.t('Code'),
		codeIn: vscode.l10n.t('Code, {0}'),
		continue: vscode.l10n.t('Continue'),
		continued: vscode.l10n.t('Continued after it had ended too early.'),
		continuedTimes: vscode.l10n.t('Continued {0} times after it had ended too early.'),
		completions: vscode.l10n.t('Context to add'),
		context: vscode.l10n.t('Context'),
		conversation: vscode.l10n.t('Conversation'),
		copied: vscode.l10n.t('Copied'),
		copy: vscode.l10n.t('Copy'),
		copyMarkdown: vscode.l10n.t('Copy as Markdown'),
		copyReply: vscode.l10n.t('Copy Reply'),
		dismiss: vscode.l10n.t('Dismiss'),
		encryption: encryptionStrings(),
		edit: vscode.l10n.t('Edit and Send Again'),
		editMessage: vscode.l10n.t('Edit message'),
		dropHint: vscode.l10n.t('Drop to add to the chat'),
		emptyPrompt: vscode.l10n.t('Write a message first.'),
		emptyState: vscode.l10n.t('Ask about your code, or about anything else.'),
		emptyStateContext: vscode.l10n.t('Type # to add files, problems or changes, or hold Shift and drop files here.'),
		image: vscode.l10n.t('Image: {0}'),
		insertAtCursor: vscode.l10n.t('Insert at Cursor'),
		jumpToEnd: vscode.l10n.t('Scroll to End'),
		loadImage: vscode.l10n.t('Load Image'),
		loadingImage: vscode.l10n.t('Loading…'),
		minutes: vscode.l10n.t('{0} min {1} s'),
		newFile: vscode.l10n.t('New File'),
		nextVersion: vscode.l10n.t('Next Version'),
		imageTooLarge: vscode.l10n.t('{0} is larger than 5 MB.'),
		notText: vscode.l10n.t('{0} is no text file, or larger than 1 MB.'),
		noAnswer: vscode.l10n.t('The message was not taken yet. It is still here; send it again.'),
		noHostAnswer: vscode.l10n.t(
			'No answer came from the extension. Try again; if that does not help, reload the window.',
		),
		policy: policyStrings(),
		openFile: vscode.l10n.t('Open {0}'),
		previousVersion: vscode.l10n.t('Previous Version'),
		noCompletions: vscode.l10n.t('Nothing matches.'),
		plainText: vscode.l10n.t('Shown as plain text: it is too long or too deeply nested to lay out.'),
		reasoning: vscode.l10n.t('Reasoning'),
		removeChip: vscode.l10n.t('Remove {0}'),
		reply: vscode.l10n.t('Reply'),
		replyEnded: vscode.l10n.t('Reply complete.'),
		replyStopped: vscode.l10n.t('Reply stopped.'),
		retry: vscode.l10n.t('Retry'),
		retryOffer: vscode.l10n.t('Ask Again'),
		seconds: vscode.l10n.t('{0} s'),
		send: vscode.l10n.t('Send'),
		shortenContext: vscode.l10n.t('Shorten…'),
		showEarlier: vscode.l10n.t('Show {0} Earlier Messages'),
		shortened: vscode.l10n.t('{0} more characters are not shown. Copy Reply has them.'),
		stillReplying: vscode.l10n.t('Wait for the reply, or stop it first.'),
		stillWaiting: vscode.l10n.t('Still waiting for {0}.'),
		stop: vscode.l10n.t('Stop'),
		stopped: vscode.l10n.t('Stopped.'),
		streaming: vscode.l10n.t('Streaming'),
		switchConnection: vscode.l10n.t('Switch Connection'),
		table: vscode.l10n.t('Table'),
		tokensCached: vscode.l10n.t('{0} in ({1} cached)'),
		tokensIn: vscode.l10n.t('{0} in'),
		tokensOut: vscode.l10n.t('{0} out'),
		tooLong: vscode.l10n.t('The message is too long to send: {0} characters, and at most {1} can be sent.'),
		usingModel: vscode.l10n.t('{0} on {1}'),
		askChat: vscode.l10n.t('Ask, or / for more…'),
		askImage: vscode.l10n.t('Describe an image, or / for more…'),
		askSearch: vscode.l10n.t('Search the web, or / for more…'),
		chooseMode: vscode.l10n.t('Choose What Messages Ask For'),
		citation: vscode.l10n.t('Source {0}: {1}'),
		commandChat: vscode.l10n.t('Ask the chat model'),
		commandImage: vscode.l10n.t('Make an image of what you describe'),
		commandSearch: vscode.l10n.t('Answer with sources of the web'),
		commands: vscode.l10n.t('Commands'),
		copyPrompt: vscode.l10n.t('Copy Prompt'),
		insertImage: vscode.l10n.t('Insert as Markdown…'),
		loadAgain: vscode.l10n.t('Load Again'),
		makeAgain: vscode.l10n.t('Make Again'),
		makingImage: vscode.l10n.t('The image is being made.'),
		modeChat: vscode.l10n.t('Chat'),
		modeImage: vscode.l10n.t('Image'),
		modeSearch: vscode.l10n.t('Search'),
		openImage: vscode.l10n.t('Open in Browser'),
		imageAddress: vscode.l10n.t('The image was not loaded: its address is none that can be loaded from.'),
		imageGone: vscode.l10n.t('The image is not kept any more: its file was deleted.'),
		imageNotKept: vscode.l10n.t(
			'The image was not kept: it could not be written to the disk. Make room and load it again.',
		),
		imageNotLoaded: vscode.l10n.t('The image was not loaded.'),
		imagePrivate: vscode.l10n.t('The image was not loaded: its address leads into this machine or its network.'),
		imageRedirected: vscode.l10n.t('The image was not loaded: its server sent on to another address.'),
		imageSize: vscode.l10n.t('The image was not loaded: it is larger than 10 MB.'),
		imageType: vscode.l10n.t(
			'The image was not loaded: what came is no PNG, JPEG, GIF or WebP image of a size that can be shown.',
		),
		imageUnreachable: vscode.l10n.t('The image was not loaded: its server refused or did not answer.'),
		saveImage: vscode.l10n.t('Save Image…'),
		sources: vscode.l10n.t('Sources'),
		sourcesCut: sourcesCutText(),
		versionLabel: vscode.l10n.t('Version {0} of {1} of this message'),
		versionOf: vscode.l10n.t('{0} of {1}'),
		via: vscode.l10n.t('via {0}'),
		you: vscode.l10n.t('You'),
	};
}

export function noModelText(connection: string): string {
	return vscode.l10n.t('{0} has no model for chat. Set errand.chat.model or switch the connection.', connection);
}

export function noticeText(notice: ChatNotice): string {
	switch (notice.kind) {
		case 'repaired':
			return repairsText(notice.repairs);
		case 'unreadable':
			return unreadableText(notice.code);
		case 'newer':
			return newerText();
		case 'branched':
			return vscode.l10n.t('Another window changed this conversation. This window goes on in a copy; both are kept.');
		case 'not-kept':
			return goneText();
		case 'save-failed':
			return vscode.l10n.t(
				'The conversation cannot be saved: {0}. Keep this window open; saving is tried again with the next change.',
				systemReason(notice.code),
			);
	}
}

export function openFailureText(failure: OpenFailure): string {
	switch (failure.kind) {
		case 'missing':
			return vscode.l10n.t('This conversation is not there any more: another window has deleted it.');
		case 'newer':
			return newerText();
		case 'set-aside':
			return repairsText([{ kept: 0, expected: undefined }]);
		case 'unreadable':
			return unreadableText(failure.code);
	}
}

/** Returns what an error of the file system means, as the end of a sentence. */
export function systemReason(code: string | undefined): string {
	switch (code) {
		case 'ENOSPC':
		case 'EDQUOT':
			return vscode.l10n.t('the disk is full');
		case 'EACCES':
		case 'EPERM':
			return vscode.l10n.t('the editor may not write to its storage folder');
		case 'EROFS':
			return vscode.l10n.t('the disk is read-only');
		default:
			return code === undefined ? vscode.l10n.t('the system refused') : vscode.l10n.t('the system refused ({0})', code);
	}
}

function repairsText(repairs: readonly Repair[]): string {
	const kept = repairs.reduce((sum, repair) => sum + repair.kept, 0);
	if (repairs.length > 1) {
		return vscode.l10n.t(
			'{0} saved conversations were damaged. {1} messages could be read and are kept; the damaged files were set aside, not deleted.',
			repairs.length,
			kept,
		);
	}
	const expected = repairs[0]?.expected;
	if (kept === 0) {
		return vscode.l10n.t('A saved conversation could not be read. Its file was set aside, not deleted.');
	}
	return expected !== undefined && expected > kept
		? vscode.l10n.t(
				'A saved conversation was damaged. {0} of {1} messages could be read and are kept; the damaged file was set aside, not deleted.',
				kept,
				expected,
			)
		: vscode.l10n.t(
				'A saved conversation was damaged. {0} messages could be read and are kept; the damaged file was set aside, not deleted.',
				kept,
			);
}

function unreadableText(code: string | undefined): string {
	return vscode.l10n.t('Saved conversations could not be opened: {0}. Their files are unchanged.', systemReason(code));
}

function newerText(): string {
	return vscode.l10n.t('This conversation was written by a later version of Errand. Update Errand to open it.');
}

export function finishExplanation(problem: FinishProblem): Explanation {
	switch (problem) {
		case 'empty':
			return { message: vscode.l10n.t('The model ended its reply without a word.') };
		case 'length':
			return { message: vscode.l10n.t('The reply ends here because it reached the model’s length limit.') };
		case 'filtered':
			return { message: vscode.l10n.t('The reply ends here because the service’s content filter stopped it.') };
	}
}
