import type { Clock } from '../../base/async.ts';
import type { Logger } from '../../base/logger.ts';
import type { EncryptedChannels } from '../../channel/api.ts';
import type { Client } from '../../client/types.ts';
import type { Explanation } from '../../platform/notify.ts';
import type { SettingsSource } from '../model/applySettings.ts';
import type { FinishProblem, WorkspaceTag } from '../model/conversation.ts';
import type { TurnMode } from '../model/mode.ts';
import type { ReplySettings } from '../model/settings.ts';
import type { UnsentChoices } from '../model/shownConversation.ts';
import type { Repair } from '../storage/conversationStore.ts';
import type { ImageStore } from '../storage/imageStore.ts';
import type { EncryptionRefusal } from './conversationChannel.ts';
import type { AgentTurns, ModeModels } from './replyRequest.ts';
import type { ReplyPart } from './session.ts';

/** A notice for the user about the conversation's file. `code` is the system's error code. */
export type ChatNotice =
	| { kind: 'repaired'; repairs: readonly Repair[] }
	| { kind: 'unreadable'; code: string | undefined }
	| { kind: 'newer'; count: number }
	| { kind: 'branched' }
	/** The encrypted conversation that was shown before ended with its window, and this one is not encrypted. */
	| { kind: 'not-kept' }
	| { kind: 'save-failed'; code: string | undefined };

export type ChatChange =
	/** A reply has begun. */
	| { kind: 'conversation' }
	/** A turn has changed, other than by text that was appended to its reply. */
	| { kind: 'turn'; turnId: string }
	/** Text was appended to the reply or to its reasoning, or an agent has done something. */
	| ({ turnId: string } & ReplyPart)
	/** Other turns are shown, because another version of a message was chosen. */
	| { kind: 'path' }
	/** The conversation has another title or another id. */
	| { kind: 'name' }
	/** The next messages have another mode. */
	| { kind: 'mode' }
	/** Another model, policy or parameters were chosen. */
	| { kind: 'settings' }
	/** The state of the encrypted channel has changed. */
	| { kind: 'encryption' }
	| { kind: 'notice' };

export type SendRefusal =
	| { reason: 'empty' | 'too-long' | 'busy' | 'no-model' | 'no-turn' | 'finished' }
	/** The connection has no model for this mode. */
	| { reason: 'no-mode'; mode: TurnMode }
	/** A generated image cannot be continued. */
	| { reason: 'image' }
	/** An image model gets only the prompt, so it cannot get context. */
	| { reason: 'image-context' }
	/** An agent gets only texts. */
	| { reason: 'agent-images' }
	/** The conversation has as many images as it may store. */
	| { reason: 'images-full' }
	| EncryptionRefusal
	/** No agent can work here. */
	| { reason: 'no-agent'; explanation: Explanation }
	/** The context cannot be sent. */
	| { reason: 'context'; explanation: Explanation }
	| { reason: 'no-connection'; error: unknown }
	| { reason: 'not-saved'; code: string | undefined };

/** The active connection, and what determines how messages go to it. */
export interface ChatService {
	client(): Promise<Client>;
	/** Resolves to the connection's name in the settings, its display name, and its chat model. */
	connection(): Promise<{ name: string; label: string; model: string | undefined }>;
	/** Resolves to the connection's models for search and for images. */
	modes(): Promise<ModeModels>;
	agents: AgentTurns;
	channels: EncryptedChannels;
	settings: SettingsSource;
}

/** Explains, in sentences, how a reply can fail. */
export interface ReplyExplanations {
	/** `asked` is the model and settings that the request was sent with, if it was sent. */
	error(error: unknown, connection: string, asked: ReplySettings | undefined, mode: TurnMode): Explanation;
	finish(problem: FinishProblem, hasThought: boolean): Explanation;
}

/** The stores for data that is not in a conversation's own file. */
export interface ChatStorage {
	images: ImageStore;
	unsent: UnsentChoices;
}

export interface ChatOptions {
	service: ChatService;
	explain: ReplyExplanations;
	storage: ChatStorage;
	workspace(): WorkspaceTag;
	clock: Clock;
	logger: Logger;
}
