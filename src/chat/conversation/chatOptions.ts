import type { Clock } from '../../base/async.ts';
import type { Logger } from '../../base/logger.ts';
import type { EncryptedChannels } from '../../channel/api.ts';
import type { Client } from '../../client/types.ts';
import type { Explanation } from '../../platform/notify.ts';
import type { SettingsSource } from '../model/applySettings.ts';
import type { FinishProblem, WorkspaceTag } from '../model/conversation.ts';
import type { TurnMode } from '../model/mode.ts';
import type { AskedWith } from '../model/settings.ts';
import type { Repair } from '../storage/conversationStore.ts';
import type { ImageStore } from '../storage/imageStore.ts';
import type { EncryptionRefusal } from './conversationChannel.ts';
import type { AgentTurns, ModeModels } from './replyRequest.ts';
import type { Appended } from './session.ts';
import type { UnsentChoices } from './unsentChoices.ts';

/** What the user is told about the conversation's file. `code` is the system's error code. */
export type ChatNotice =
	| { kind: 'repaired'; repairs: readonly Repair[] }
	| { kind: 'unreadable'; code: string | undefined }
	| { kind: 'newer' }
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
	| ({ turnId: string } & Appended)
	/** Other turns are shown, because another version of a message was chosen. */
	| { kind: 'path' }
	/** The conversation has another title or another id. */
	| { kind: 'name' }
	/** The next messages ask in another mode. */
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
	/** An image model gets only the prompt, so context cannot go with it. */
	| { reason: 'image-context' }
	/** An agent is told texts alone. */
	| { reason: 'agent-images' }
	/** The conversation has as many images as it may keep. */
	| { reason: 'images-full' }
	| EncryptionRefusal
	/** No agent can work here. */
	| { reason: 'no-agent'; explanation: Explanation }
	/** The context cannot be sent. */
	| { reason: 'context'; explanation: Explanation }
	| { reason: 'no-connection'; error: unknown }
	| { reason: 'not-saved'; code: string | undefined };

/** The active connection, and what decides how messages go to it. */
export interface ChatService {
	client(): Promise<Client>;
	/** Resolves with the connection's name in the settings, the name by which the user knows it, and its chat model. */
	connection(): Promise<{ name: string; label: string; model: string | undefined }>;
	/** Resolves with the connection's models for search and for images. */
	modes(): Promise<ModeModels>;
	agents: AgentTurns;
	channels: EncryptedChannels;
	settings: SettingsSource;
}

/** Turns the ways in which a reply can fail into sentences. */
export interface ReplyExplanations {
	/** `asked` is what the request was sent with, where it was sent. */
	error(error: unknown, connection: string, asked: AskedWith | undefined, mode: TurnMode): Explanation;
	finish(problem: FinishProblem, hasThought: boolean): Explanation;
}

/** The stores for what a conversation's own file does not hold. */
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
