// Requests a reply: builds the request of a turn, refuses it if necessary, and makes the call that answers it.

import type { PromptImage } from '../../agents/session/agentSession.ts';
import { dataUrl } from '../../base/dataUrl.ts';
import { defined } from '../../base/defined.ts';
import type { Client } from '../../client/types.ts';
import { type ChatRequest, MAXIMUM_REQUEST_IMAGE_BYTES } from '../../contract/chatRequest.ts';
import type { Connection } from '../../contract/connection.ts';
import { LOCAL_CONNECTION_NAME } from '../../contract/localConnection.ts';
import type { RoutingPolicy } from '../../contract/routingPolicy.ts';
import { searchModelOf } from '../../contract/search.ts';
import type { Explanation } from '../../platform/notify.ts';
import type { AgentWork } from '../model/agentWork.ts';
import type { ReplyEvent } from '../model/applyEvent.ts';
import { applySettings, type RequestFacts, RequestRefusal, type SettingsSource } from '../model/applySettings.ts';
import type { Attachment } from '../model/attachment.ts';
import { type Conversation, findTurn, type Reply, turnsUpTo } from '../model/conversation.ts';
import type { ReplyImage } from '../model/images.ts';
import { TURN_MODES, type TurnMode } from '../model/mode.ts';
import { channelHistory, reasoningIn, type toRequest } from '../model/toRequest.ts';
import type { ImageStore } from '../storage/imageStore.ts';
import type { ConversationChannel } from './conversationChannel.ts';
import { responsesReply, toResponsesRequest } from './responsesReply.ts';

/** A mode whose messages are answered by one request. An agent makes its own requests, with the model of the chat. */
export type RequestMode = Exclude<TurnMode, 'agent'>;

/** The models that a connection has for each mode; a mode without a model is absent. */
export type ModeModels = Partial<Record<Exclude<RequestMode, 'chat'>, string>>;

/**
 * Returns the models of a connection for search and for images. The contract gives the search model one name, whoever
 * serves it, so only the local service, whose list is its own, can be known to have none.
 */
export function modeModelsOf(connection: Connection): ModeModels {
	const { models } = connection;
	const image = models.find(({ kinds }) => kinds.includes('image'))?.id;
	const searches = connection.name !== LOCAL_CONNECTION_NAME || models.some(({ kinds }) => kinds.includes('search'));
	return defined({ search: searches ? searchModelOf(connection) : undefined, image });
}

/** Returns the modes for which a connection is known to have no model. Elsewhere the user can name one. */
export function refusedModesOf(connection: Connection): TurnMode[] {
	const models = modeModelsOf(connection);
	return connection.name === LOCAL_CONNECTION_NAME
		? TURN_MODES.filter(mode => mode !== 'chat' && mode !== 'agent' && models[mode] === undefined)
		: [];
}

/** The turn that a reply is requested for. */
export interface TurnRequest {
	conversation: Conversation;
	turnId: string;
	mode: TurnMode;
	model: string;
	/** Builds the request for a new reply, or for a continuation. */
	toRequest: typeof toRequest;
	keepWork: AgentTurn['keepWork'];
}

/** A turn that an agent works on. */
export interface AgentTurn extends Pick<TurnRequest, 'conversation' | 'turnId' | 'model'> {
	/** The routing policy of all requests that it makes. */
	provider: RoutingPolicy | undefined;
	/** The user's instructions for every model. */
	instructions: string;
	/** The images that are attached to the message. */
	images: readonly PromptImage[];
	/** Stores the work of an earlier reply of the conversation again. */
	keepWork(turnId: string, reply: Reply, work: AgentWork): Promise<void>;
}

/** Runs agents. */
export interface AgentTurns {
	/** Resolves to the reason why no agent can work in this window, if there is one. */
	refusal(): Promise<Explanation | undefined>;
	/**
	 * Yields the agent's output and steps. After `signal` has aborted, it ends by itself as soon as the agent is gone.
	 */
	run(turn: AgentTurn, signal: AbortSignal): AsyncIterable<ReplyEvent>;
	/** Carries the stored data of the original over to the copy of a conversation. Never rejects. */
	adopt(conversation: Conversation): Promise<void>;
	/** Removes the data of a deleted conversation. Never rejects. */
	forget(conversation: string): Promise<void>;
}

interface ReplySources {
	client(): Promise<Client>;
	settings: SettingsSource;
	agents: AgentTurns;
	images: Pick<ImageStore, 'read' | 'load'>;
	/** The only way out of an encrypted conversation. */
	channel: Pick<ConversationChannel, 'stream'> | undefined;
}

/**
 * Requests the reply to a turn. Resolves to the events of the reply, and to the facts about the request unless it is
 * encrypted. Throws a RequestRefusal if it cannot be sent.
 */
export async function requestReply(
	turn: TurnRequest,
	sources: ReplySources,
	signal: AbortSignal,
): Promise<{ facts?: RequestFacts; events: AsyncIterable<ReplyEvent> }> {
	const { mode, conversation, turnId, model } = turn;
	if (sources.channel) {
		const { instructions } = sources.settings.defaults();
		const { messages } = turn.toRequest(conversation, turnId, model);
		const history = channelHistory(messages, instructions, findTurn(conversation, turnId)?.instructions);
		return { events: sources.channel.stream(history, signal) };
	}
	if (mode === 'agent') {
		const question = { model, messages: [{ role: 'user' as const, content: '' }] };
		const facts = await applySettings(question, conversation.settings, sources.settings, mode);
		const { instructions } = sources.settings.defaults();
		const { keepWork } = turn;
		const urls = await requestImages(conversation.id, [findTurn(conversation, turnId) ?? {}], sources.images);
		const images = [...urls.values()].map(promptImageOf);
		const asked = { conversation, turnId, model, provider: facts.request.provider, instructions, images, keepWork };
		return { facts, events: sources.agents.run(asked, signal) };
	}
	const facts = await prepareRequest({ ...turn, mode }, sources);
	if (facts.endpoint === 'responses') {
		const from = { connection: facts.connection.name, model };
		const request = toResponsesRequest(facts.request, reasoningIn(conversation, turnId, from));
		return { facts, events: responsesReply(await sources.client(), request, signal) };
	}
	return { facts, events: await sendRequest(facts.request, { mode, conversation }, sources, signal) };
}

/**
 * Builds the request of a turn, with its images and the settings in force. Throws a RequestRefusal if it cannot be
 * sent.
 */
async function prepareRequest(
	{ conversation, turnId, mode, model, toRequest }: TurnRequest & { mode: RequestMode },
	{ images, settings }: { images: Pick<ImageStore, 'read'>; settings: SettingsSource },
): Promise<RequestFacts & { request: ChatRequest }> {
	const urls =
		mode === 'image' ? undefined : await requestImages(conversation.id, turnsUpTo(conversation, turnId), images);
	const request = toRequest(conversation, turnId, model, urls);
	const files = findTurn(conversation, turnId)?.instructions;
	return applySettings(request, conversation.settings, settings, mode, files);
}

/**
 * Sends a request to the model of its mode: the chat model, the search model, or an image model, whose image is stored
 * beside the conversation.
 */
async function sendRequest(
	request: ChatRequest,
	{ mode, conversation: { id } }: { mode: RequestMode; conversation: Conversation },
	options: { client(): Promise<Client>; images: Pick<ImageStore, 'load'> },
	signal: AbortSignal,
): Promise<AsyncIterable<ReplyEvent>> {
	const client = await options.client();
	const { model, messages } = request;
	switch (mode) {
		case 'chat':
			return client.chat.stream(request, { signal });
		case 'search': {
			const { model: _, messages: __, ...others } = request;
			return client.search.stream(messages, { signal, ...others });
		}
		case 'image': {
			// An image model gets one prompt, never the conversation before it.
			const prompt = messages.at(-1)?.content;
			const asked = { model, prompt: typeof prompt === 'string' ? prompt : '' };
			return imageReply(client, asked, signal, url => options.images.load(id, url, signal));
		}
	}
}

async function* imageReply(
	client: Client,
	request: { model: string; prompt: string },
	signal: AbortSignal,
	loadImage: (url: string) => Promise<ReplyImage>,
): AsyncIterable<ReplyEvent> {
	const { url, model, digest, provider, id, usage } = await client.images.generate(request, { signal });
	yield { type: 'served', model: digest === undefined ? model : `${model}:${digest}`, ...defined({ provider, id }) };
	if (usage) {
		yield { type: 'usage', usage };
	}
	// The address, which was paid for, is in the conversation's file before anything else can fail.
	yield { type: 'text', text: url };
	yield { type: 'image', image: await loadImage(url) };
	yield { type: 'finish', reason: 'stop' };
}

/** Returns the image of a `data:` URL in the form for agents. */
function promptImageOf(url: string): PromptImage {
	const [, mimeType = '', data = ''] = /^data:([^;,]*);base64,(.*)$/s.exec(url) ?? [];
	return { mimeType, data };
}

/**
 * Returns the images that were attached to the messages of these turns, as `data:` URLs by file. Throws a
 * RequestRefusal if one is gone, or if there are more than a request can carry.
 */
async function requestImages(
	conversation: string,
	turns: readonly { readonly attachments?: readonly Attachment[] }[],
	images: Pick<ImageStore, 'read'>,
): Promise<ReadonlyMap<string, string>> {
	const urls = new Map<string, string>();
	const sizes = new Map<string, number>();
	let total = 0;
	for (const { attachments = [] } of turns) {
		for (const { image, label } of attachments) {
			if (!image) {
				continue;
			}
			if (!urls.has(image.file)) {
				const bytes = await images.read(conversation, image.file);
				if (!bytes) {
					throw new RequestRefusal({ kind: 'image-gone', label });
				}
				sizes.set(image.file, bytes.byteLength);
				urls.set(image.file, dataUrl(image.type, bytes));
			}
			// An image counts for each message that has it.
			total += sizes.get(image.file) ?? 0;
			if (total > MAXIMUM_REQUEST_IMAGE_BYTES) {
				throw new RequestRefusal({ kind: 'images-too-large' });
			}
		}
	}
	return urls;
}
