import type { Clock } from '../../base/async.ts';
import type { Logger } from '../../base/logger.ts';
import type { Client } from '../../client/types.ts';
import type { Explanation } from '../../platform/notify.ts';
import type { PolicySource } from '../model/applyPolicy.ts';
import type { FinishProblem, WorkspaceTag } from '../model/conversation.ts';
import type { TurnMode } from '../model/mode.ts';
import type { AskedWith } from '../model/policy.ts';
import type { Repair } from '../storage/conversationStore.ts';
import type { ImageStore } from '../storage/imageStore.ts';
import type { EncryptedChannels, EncryptionRefusal } from './conversationChannel.ts';
import type { ModeModels } from './replyRequest.ts';
import type { AppendedText } from './session.ts';
import type { UnsentChoices } from './unsentChoices.ts';

/** What the user has to know about the conversation's file. `code` is the system's error code. */
export type ChatNotice =
	| { kind: 'repaired'; repairs: readonly Repair[] }
	| { kind: 'unreadable'; code: string | undefined }
	| { kind: 'newer' }
	| { kind: 'branched' }
	/** The encrypted conversation that was shown before went with its window, and this one is not encrypted. */
	| { kind: 'not-kept' }
	| { kind: 'save-failed'; code: string | undefined };

export type ChatChange =
	/** A reply has begun. */
	| { kind: 'conversation' }
	/** A turn has changed in another way than by text that was appended to its reply. */
	| { kind: 'turn'; turnId: string }
	/** Text was appended to the reply or to its reasoning. */
	| ({ turnId: string } & AppendedText)
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
	/** The connection has no model for it. */
	| { reason: 'no-mode'; mode: TurnMode }
	/** An image is whole or not there. */
	| { reason: 'image' }
	/** An image model is told its prompt alone. */
	| { reason: 'image-context' }
	/** The conversation keeps as many as it may. */
	| { reason: 'images-full' }
	| EncryptionRefusal
	/** What was to go with it cannot go. */
	| { reason: 'context'; explanation: Explanation }
	| { reason: 'no-connection'; error: unknown }
	| { reason: 'not-saved'; code: string | undefined };

export interface ChatOptions {
	client(): Promise<Client>;
	/** `name`: of the settings. */
	connection(): Promise<{ name: string; label: string; model: string | undefined }>;
	channels: EncryptedChannels;
	/** The models of the active connection for what is not chat. */
	modes(): Promise<ModeModels>;
	images: ImageStore;
	policy: PolicySource;
	unsent: UnsentChoices;
	workspace(): WorkspaceTag;
	/** `asked`: what the request was sent with, where it was. */
	explainError(error: unknown, connection: string, asked: AskedWith | undefined, mode: TurnMode): Explanation;
	explainFinish(problem: FinishProblem): Explanation;
	clock: Clock;
	logger: Logger;
}
