import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { systemClock } from '../../../src/base/async.ts';
import { nullLogger } from '../../../src/base/logger.ts';
import type { Chat } from '../../../src/chat/conversation/chat.ts';
import type { ChatOptions } from '../../../src/chat/conversation/chatOptions.ts';
import { OpenConversations, type OpenConversationsOptions } from '../../../src/chat/conversation/openConversations.ts';
import type { AgentTurns, ModeModels } from '../../../src/chat/conversation/replyRequest.ts';
import { type Conversation, currentReply, findTurn, type Reply } from '../../../src/chat/model/conversation.ts';
import { parseConversationFile } from '../../../src/chat/model/conversationFile.ts';
import { ConversationStore } from '../../../src/chat/storage/conversationStore.ts';
import type { Client } from '../../../src/client/types.ts';
import { waitFor } from '../../support/waitFor.ts';
import { noAgents, noChannels, noImages } from './noServices.ts';
import { TestService } from './testService.ts';

export const TEST_FOLDER = 'file:///home/me/widgets';

/** What a test has otherwise than the other tests. */
export interface WindowOptions extends Partial<Omit<OpenConversationsOptions, 'chat'>> {
	chat?: Partial<ChatOptions>;
}

/** Windows on one real folder of conversations, over one real service. */
export class TestWindows {
	service = new TestService();
	folder = '';
	/** What the connection's settings name. */
	model: string | undefined = 'demo';
	/** The connection's models for search and for images. */
	modes: ModeModels = {};
	agents: AgentTurns = noAgents;
	private client: Client | undefined;
	private opened: OpenConversations[] = [];

	async start(): Promise<void> {
		this.service = new TestService();
		this.client = await this.service.start();
		this.folder = await mkdtemp(path.join(os.tmpdir(), 'errand-chat-'));
		this.model = 'demo';
		this.modes = {};
		this.opened = [];
		this.agents = noAgents;
	}

	async stop(): Promise<void> {
		await Promise.all(this.opened.map(conversations => conversations.close()));
		await this.service.stop();
		await rm(this.folder, { recursive: true, force: true });
	}

	async open({ chat, ...others }: WindowOptions = {}): Promise<OpenConversations> {
		const { client, service, folder } = this;
		assert.ok(client);
		const conversations = await OpenConversations.open({
			store: new ConversationStore(folder, nullLogger),
			remembered: { read: () => undefined, write: () => {} },
			titles: () => false,
			onChange: () => {},
			onDelete: () => {},
			chat: {
				service: {
					client: async () => client,
					connection: async () => ({ name: 'test', label: 'Test', model: this.model }),
					modes: async () => this.modes,
					channels: noChannels,
					agents: this.agents,
					settings: service.settings,
				},
				explain: {
					error: (error, connection) => ({ message: `${connection}: ${(error as Error).message}` }),
					finish: problem => ({ message: problem }),
				},
				storage: { images: noImages(folder), unsent: service.unsent },
				workspace: () => ({ folders: [TEST_FOLDER] }),
				clock: systemClock,
				logger: nullLogger,
				...chat,
			},
			...others,
		});
		this.opened.push(conversations);
		return conversations;
	}

	async onDisk(): Promise<Conversation[]> {
		const names = (await readdir(this.folder)).filter(name => name.endsWith('.jsonl'));
		return Promise.all(
			names.map(
				async name => (await parseConversationFile(await readFile(path.join(this.folder, name), 'utf8'))).conversation,
			),
		);
	}
}

/** New ones for each test of a `describe`. */
export function useTestWindows(): TestWindows {
	const windows = new TestWindows();
	beforeEach(() => windows.start());
	afterEach(() => windows.stop());
	return windows;
}

export function replyOf(chat: Chat, turnId: string): Reply {
	const turn = findTurn(chat.conversation, turnId);
	assert.ok(turn);
	return currentReply(turn);
}

export function replyEnded(chat: Chat): Promise<unknown> {
	return waitFor('the end of the reply', () => chat.live === undefined);
}
