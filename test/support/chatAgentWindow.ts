import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Frame } from 'playwright-core';
import { type AgentWindow, type AgentWindowOptions, openAgentWindow } from './agentWindow.ts';
import { until } from './editorWindow.ts';
import { openChat } from './errandWindow.ts';
import { skipWithoutSandbox } from './sandbox.ts';
import type { ScriptedModel } from './scriptedModel.ts';

export interface ChatAgentWindow extends AgentWindow {
	chat: Frame;
	model: ScriptedModel;
	/** Returns the content of a file in the window's folder. */
	read(name: string): string;
}

/** Opens the chat on a sample repository. */
async function openChatAgentWindow(options: Pick<AgentWindowOptions, 'scripts' | 'besides'>): Promise<ChatAgentWindow> {
	const window = await openAgentWindow({
		...options,
		worksOn: 'folder',
		settings: ([url]) => ({
			'errand.local.upstreams': { workshop: { url, prices: { input: 3, output: 15 } } },
			'errand.chat.model': 'coder',
		}),
	});
	const [model] = window.models as [ScriptedModel];
	const chat = await openChat(window.page);
	return { ...window, chat, model, read: name => readFileSync(path.join(window.folder, name), 'utf8') };
}

/** Opens the same before the tests, and closes it after them. Without a sandbox, the tests are skipped. */
export function useChatAgentWindow(options: Parameters<typeof openChatAgentWindow>[0]): () => ChatAgentWindow {
	let window: ChatAgentWindow | undefined;

	before(async function () {
		await skipWithoutSandbox(this);
		window = await openChatAgentWindow(options);
	});

	after(async () => {
		await window?.stop();
	});

	return () => window ?? assert.fail('no window is open');
}

/** The question of an agent that waits for an answer. */
export const agentQuestion = (chat: Frame) => chat.locator('chat-approval .box');

/** Answers the next question with the button of this label, and resolves with the text of the question. */
export async function answerQuestion(chat: Frame, label: string): Promise<string> {
	const box = agentQuestion(chat);
	await box.waitFor();
	const words = await box.innerText();
	const button = box.getByRole('button', { name: label, exact: true });
	await until('the question can be answered', () => button.isEnabled());
	await button.click();
	await until('the question is answered', async () => !(await box.isVisible()) || (await box.innerText()) !== words);
	return words;
}
