import { existsSync } from 'node:fs';
import * as vscode from 'vscode';
import { DisposableStore } from '../base/disposable.ts';
import { registerCommand, setContextKey } from '../platform/commands.ts';
import { closeComparisons } from '../platform/diffTabs.ts';
import { commands, internalCommands, PROPOSAL_SCHEME, QUESTION_SCHEME, views } from '../platform/ids.ts';
import type { ChatView } from './api.ts';
import { registerContext } from './context/contextEntry.ts';
import type { ChatDependencies, ChatPanel } from './panel.ts';
import type { SettingsPickers } from './settings/settingsPickers.ts';

/** The folder of all conversations, in the extension's global storage. It is created when the first one is stored. */
const CONVERSATIONS_FOLDER = 'conversations';

/** Registers the chat view and its commands. The view's own code loads when it is first shown. */
export function registerChat(dependencies: ChatDependencies): ChatView {
	const store = new DisposableStore();
	const folder = vscode.Uri.joinPath(dependencies.places.globalStorageUri, CONVERSATIONS_FOLDER).fsPath;
	setContextKey('errand.hasConversations', existsSync(folder));
	let panel: Promise<ChatPanel> | undefined;
	const openPanel = (): Promise<ChatPanel> => {
		panel ??= import('./panel.ts').then(({ ChatPanel }) => new ChatPanel(dependencies, folder, context.terminal));
		return panel;
	};
	store.add(
		vscode.window.registerWebviewViewProvider(views.chat, {
			resolveWebviewView: async view => (await openPanel()).resolve(view),
		}),
	);
	store.add(registerCommand(internalCommands.focusChat, async () => showChat(await openPanel())));
	// A view in sight keeps its place: the editor would focus it once more after 50 ms, and take the keyboard from a list
	// or a question that has come up meanwhile.
	const showView = async ({ page }: ChatPanel) => {
		if (!page.isVisible) {
			await vscode.commands.executeCommand(`${views.chat}.focus`);
		}
	};
	const showChat = async (panel: ChatPanel) => {
		if (panel.page.moveCursorToComposer()) {
			return;
		}
		await showView(panel);
		// The composer is focused last, so that nothing takes the cursor away from a user who goes on typing.
		void panel.page.focusComposer();
	};
	const context = store.add(registerContext(openPanel, async () => showChat(await openPanel())));
	const openCommands = async (panel: ChatPanel) => {
		const { ConversationCommands } = await import('./conversations/conversationCommands.ts');
		return new ConversationCommands(await panel.conversations, () => showChat(panel), dependencies.logger);
	};
	store.add(
		registerCommand(commands.newConversation, async () => {
			const panel = await openPanel();
			await (await panel.conversations).showNew();
			await showChat(panel);
			// The shown conversation may already have been new.
			void panel.taskMode.leave();
		}),
	);
	store.add(
		registerCommand(commands.newEncryptedConversation, async () => {
			const panel = await openPanel();
			await panel.encryption.begin(async () => {
				await showView(panel);
				await panel.page.focusComposer();
			});
		}),
	);
	store.add(registerCommand(commands.openConversation, async () => (await openCommands(await openPanel())).open()));
	store.add(registerCommand(commands.exportConversation, async () => (await openCommands(await openPanel())).export()));
	const withPickers = async <T>(run: (pickers: SettingsPickers) => Promise<T>): Promise<T | undefined> => {
		const panel = await openPanel();
		return (await panel.encryption.refusesChoices()) ? undefined : run(await panel.settingsPickers());
	};
	store.add(registerCommand(internalCommands.selectModel, () => withPickers(pickers => pickers.selectModel())));
	store.add(registerCommand(commands.addService, async slug => (await openPanel()).addService(slug)));
	store.add(registerCommand(internalCommands.selectPolicy, () => withPickers(pickers => pickers.selectRouting())));
	store.add(registerCommand(internalCommands.askForWholeReplies, async () => (await openPanel()).askForWholeReplies()));
	store.add(registerCommand(commands.stopReply, async () => (await (await panel)?.conversations)?.shown.stop()));
	const openTools = async () => (await openPanel()).openTools();
	store.add(
		registerCommand(commands.acceptChange, async shown => {
			if (!(await (await openPanel()).questionDiffs.answer(shown, 'once'))) {
				await (await openTools()).applyProposal(shown);
			}
		}),
	);
	store.add(
		registerCommand(commands.refuseChange, async shown => (await openPanel()).questionDiffs.answer(shown, 'no')),
	);
	store.add(
		registerCommand(internalCommands.refuseHunk, async (...named) =>
			(await openPanel()).questionDiffs.refuseHunk(named),
		),
	);
	// A reload has restored comparisons whose proposals and questions are gone.
	void closeComparisons(({ scheme }) => scheme === PROPOSAL_SCHEME || scheme === QUESTION_SCHEME);
	return {
		dispose: () => store.dispose(),
		close: async () => (await panel)?.close(),
		async readContext(source) {
			const [{ readSource }, { findingText }] = await Promise.all([
				import('./context/readSource.ts'),
				import('./context/askFindings.ts'),
			]);
			const { attachment, findings } = await readSource(source);
			return { label: attachment.label, text: attachment.text, warnings: findings.map(findingText) };
		},
		async writeTask(text) {
			const panel = await openPanel();
			await panel.taskMode.write(text, () => showView(panel));
		},
		taskMade: prompt => void panel?.then(({ taskMode }) => taskMode.made(prompt)),
		serversForTasks: async folder => (await openPanel()).agents.serversForTasks(folder),
		async use() {
			const [{ readChatUse }, { ConversationStore }] = await Promise.all([
				import('./conversations/chatUse.ts'),
				import('./storage/conversationStore.ts'),
			]);
			return readChatUse(new ConversationStore(folder, dependencies.logger));
		},
		requestRules: async () =>
			(await import('./settings/requestRules.ts')).requestRules(dependencies.connection.describe),
	};
}
