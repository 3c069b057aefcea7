import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { type Clock, systemClock } from '../../src/base/async.ts';
import { defined } from '../../src/base/defined.ts';
import { nullLogger } from '../../src/base/logger.ts';
import { ChatContext, type ModelRoom } from '../../src/chat/context/chatContext.ts';
import { type Conversation, newConversation } from '../../src/chat/model/conversation.ts';
import { settingsOrNone } from '../../src/chat/model/settings.ts';
import type { ToPage } from '../../src/chat/protocol/protocol.ts';
import { ImageStore } from '../../src/chat/storage/imageStore.ts';
import { State } from '../support/state.ts';

/** What is measured where nothing goes with a message. */
export const NOTHING = { model: 'demo', instructions: 0, history: 0, question: 0 };

export const root = () => vscode.workspace.workspaceFolders?.[0]?.uri ?? assert.fail('no folder is open');

/** A place in the folder of the workspace that tests of context write into. */
export const place = (name: string) => vscode.Uri.joinPath(root(), 'context', name);

/**
 * The composer's context over the folder of `place`, with what it tells the page and the user, the chips that are shown,
 * and the conversation that is shown.
 */
export const openContext = (
	measure: ModelRoom['measure'],
	measureAgain = async () => {},
	focusComposer = () => {},
	clock: Clock = systemClock,
) => {
	const refuseImages = async () => ({ kind: 'refused', problem: 'type' }) as const;
	const posted: ToPage[] = [];
	const said: string[] = [];
	const shown: { conversation: Conversation } = { conversation: newConversation('c0', 0, { folders: [] }) };
	const context = new ChatContext(
		{
			storage: {
				state: new State(),
				images: new ImageStore(place('kept').fsPath, refuseImages, nullLogger),
			},
			conversations: {
				of: async () => undefined,
				shown: () => shown.conversation,
				choose: async change => {
					const { settings: _, ...others } = shown.conversation;
					const settings = settingsOrNone({ ...shown.conversation.settings, ...change });
					shown.conversation = { ...others, ...defined({ settings }) };
				},
			},
			model: { measure, known: async () => {}, askAgain: measureAgain },
			page: {
				post: message => posted.push(message),
				say: sentence => said.push(sentence),
				focusComposer: async () => focusComposer(),
			},
			sources: {
				task: async argument => (argument === 'none' ? undefined : { label: 'Log of It', text: 'it began\n' }),
				terminal: () => undefined,
			},
			logger: nullLogger,
		},
		clock,
	);
	const labels = () => {
		const shown = posted.findLast(message => message.kind === 'context-set');
		return shown?.kind === 'context-set' ? shown.context.chips.map(({ label }) => label) : [];
	};
	return { context, posted, said, labels, shown };
};
