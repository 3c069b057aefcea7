// What the composer opens and says, for screenshots and for checks of all states.
import assert from 'node:assert/strict';
import type { EncryptionView } from '../../src/chat/protocol/protocol.ts';
import { agentTurn } from './agentScenes.ts';
import { type ChatPage, turnView } from './chatPage.ts';

const STREAMED = 'Each part is signed; order and completeness of a streamed reply aren’t proven';
const CONFIRMED: EncryptionView = {
	label: 'Encrypted, key confirmed',
	details: ['GPU evidence genuine', 'Not proven: that the key lives in that GPU; freshness; which software', STREAMED],
	emptyText: `Messages, context and replies are encrypted between you and whoever holds the key of the attestation. ${STREAMED}. On this machine, the conversation is saved as readably as others.`,
	isConnecting: false,
	isRefused: false,
	isKept: true,
};

/** An encrypted conversation in each of its states. */
export const ENCRYPTED = {
	connecting: { ...CONFIRMED, label: 'Connecting; nothing is sent yet', details: [], isConnecting: true },
	confirmed: CONFIRMED,
	local: {
		...CONFIRMED,
		label: 'Local: encrypted, no hardware',
		details: ['Not saved: it’s lost when this window closes', STREAMED],
		isKept: false,
	},
	ended: {
		...CONFIRMED,
		label: 'Ended: a reply was modified in transit, or came from someone else',
		details: [],
		isRefused: true,
	},
} satisfies Record<string, EncryptionView>;

const composer = (chat: ChatPage) => chat.page.locator('chat-composer textarea');

/** Sends a message, and resolves with its turn. */
async function send(chat: ChatPage, text: string): Promise<string> {
	await composer(chat).fill(text);
	await composer(chat).press('Enter');
	const sent = (await chat.posted()).findLast(({ kind }) => kind === 'message-send');
	assert.ok(sent?.kind === 'message-send');
	return sent.turn;
}

export const COMPOSER_SCENES: Record<string, (chat: ChatPage) => Promise<void>> = {
	'first-start': chat => chat.snapshot([], { connection: { label: 'Local', model: 'demo', isDemo: true } }),
	'modes-menu': async chat => {
		const refusedModes = { image: 'Local has no image model. Switch the connection to make images.' };
		await chat.snapshot([turnView()], { connection: { label: 'Local', model: 'demo-small', refusedModes } });
		await chat.page.getByRole('button', { name: /^Select Chat/ }).click();
		await chat.page.getByRole('option', { selected: true }).waitFor();
	},
	'models-menu': async chat => {
		await chat.snapshot([turnView()]);
		await chat.page.getByRole('button', { name: /^Select Model/ }).click();
		await chat.answer('models-request', [
			{ id: 'demo-small', name: 'Small', detail: '32K context', isCurrent: true },
			{ id: 'large', name: 'vendor/a-large-model-with-a-name-that-is-long-2026-11', isCurrent: false },
		]);
		await chat.page.getByRole('option', { selected: true }).waitFor();
	},
	'models-unknown': async chat => {
		await chat.snapshot([turnView()]);
		await chat.page.getByRole('button', { name: /^Select Model/ }).click();
		await chat.fail('models-request', 'The settings can’t be read.');
	},
	'completion-empty': async chat => {
		await chat.snapshot([turnView()]);
		await composer(chat).fill('');
		await composer(chat).pressSequentially('@z');
		await chat.answer('completion-request', []);
		await chat.page.getByText('No matching results').waitFor();
	},
	...Object.fromEntries(
		Object.entries(ENCRYPTED).map(([name, encryption]) => [
			`encrypted-${name}`,
			(chat: ChatPage) => chat.snapshot(name === 'connecting' ? [] : [turnView()], { encryption }),
		]),
	),
	refused: async chat => {
		const noEncryption = 'Acme has no encrypted channel.';
		await chat.snapshot([], { connection: { label: 'Acme', model: 'large', noEncryption } });
		const turn = await send(chat, 'Why?');
		await chat.send({ kind: 'message-refuse', turn, reason: 'Acme has no key yet.', action: 'Enter Key…' });
	},
	// The message stays in the composer from here on.
	queued: async chat => {
		const agent = { label: 'Errand', approvals: 'ask' } as const;
		await chat.snapshot([agentTurn({}, { state: 'streaming' })], { mode: 'agent', agent });
		const turn = await send(chat, 'And then?');
		await chat.send({ kind: 'message-hold', turn, waits: true });
		await chat.page.getByText('The message is sent when the agent is done.').waitFor();
	},
};
